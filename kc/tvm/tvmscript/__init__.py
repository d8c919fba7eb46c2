"""TVMScript: functions of loops as Python, read (:mod:`kc.tvm.tvmscript.reader`) and printed."""
