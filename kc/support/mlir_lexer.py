"""Pygments lexers for MLIR, with kc's dialects, and for loop trees: ``pygmentize -l mlir``.

Pygments finds the lexers through the entry points of the installed package, and IPython, Sphinx,
MkDocs and rich use Pygments. :mod:`kc.support.display` uses the lexers, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
)

KEYWORDS = (
    # of every dialect
    *("in", "to", "step", "do", "else", "where", "from", "init", "iter_args", "attributes"),
    *("true", "false", "dense", "unit", "private", "public", "nested"),
    # of te and tir
    *("spatial", "reduce", "opaque", "serial", "parallel", "vectorized", "unrolled", "thread"),
    *("sum", "prod", "min", "max", "over", "combine", "volatile"),
    # of gpu
    *("blocks", "threads", "clusters", "workgroup", "kernel", "async", "uniform"),
)
"""The keywords between operands."""

TYPES = ("index", "none", "i1", "tf32", "bf16")
SHAPED = ("memref", "tensor", "vector", "complex", "tuple", "array")
_ID = r"[A-Za-z_$][\w$.-]*"


class MLIRLexer(RegexLexer):
    """Textual MLIR: operations, values, symbols, types, attributes of any dialect."""

    name = "MLIR"
    aliases: ClassVar[Sequence[str]] = ["mlir"]
    filenames: ClassVar[Sequence[str]] = ["*.mlir"]
    mimetypes: ClassVar[Sequence[str]] = ["text/x-mlir"]
    url = "https://mlir.llvm.org/docs/LangRef/"

    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r'"[a-z_][\w$]*(?:\.[\w$]+)+"(?=\s*[(<])', Name.Builtin),
            (r'@"(?:[^"\\\n]|\\.)*"', Name.Function),
            (r'"(?:[^"\\\n]|\\.)*"', String.Double),
            (rf"%(?:[0-9]+|{_ID})(?:[#:][0-9]+)?", Name.Variable),
            (rf"@(?:[0-9]+|{_ID})", Name.Function),
            (rf"\^(?:[0-9]+|{_ID})", Name.Label),
            (rf"(?:{'|'.join(SHAPED)})<", Keyword.Type, "type"),
            (rf"!{_ID}", Keyword.Type),
            (rf"#{_ID}", Name.Decorator),
            (words(TYPES, prefix=r"\b", suffix=r"\b(?!\.)"), Keyword.Type),
            (r"\b(?:[su]?i[0-9]+|f[0-9]+(?:E[0-9]M[0-9]\w*)?)\b", Keyword.Type),
            (r"\baffine_(?:map|set)\b", Keyword.Type),
            (r"\b[a-z_][\w$]*\.[\w$.]*[\w$]", Name.Builtin),
            (r"\b(?:module|func)(?=\s+[@a{])", Name.Builtin),
            (words(KEYWORDS, prefix=r"\b", suffix=r"\b(?!\s*=\s)"), Keyword),
            (r"0x[0-9a-fA-F]+", Number.Hex),
            (r"-?[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?", Number.Float),
            (r"-?[0-9]+", Number.Integer),
            (rf"({_ID})(\s*)(=)(?=\s)", bygroups(Name.Attribute, Whitespace, Operator)),
            (_ID, Name),
            (r"->|::|[-+*/=?|]", Operator),
            (r"\.\.\.|\{-#|#-\}|[(){}\[\]<>,:]", Punctuation),
            (r".", Text),
        ],
        # What is inside the brackets of a shaped type is one type.
        "type": [
            (r"->", Keyword.Type),
            (r"<", Keyword.Type, "#push"),
            (r">", Keyword.Type, "#pop"),
            (r"[^<>\n-]+|-", Keyword.Type),
            (r"\n", Whitespace, "#pop"),
        ],
    }


class LoopTreeLexer(RegexLexer):
    """Loop trees of schedules, and loops as TVM prints them."""

    name = "kc loop tree"
    aliases: ClassVar[Sequence[str]] = ["kc-loops"]

    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"<--[^\n]*", Comment.Single),
            (r'"(?:[^"\\\n]|\\.)*"', String.Double),
            (rf"@{_ID}", Name.Function),
            (
                r"\b(?:[iu][0-9]+|bf16|f[0-9]+|index|handle|bool"
                r"|(?:float|bfloat|u?int)[0-9]+(?:x[0-9]+)?)\b",
                Keyword.Type,
            ),
            (r"\b(?:thread|block)Idx\.[xyz]\b", Keyword),
            (r"\b[a-z_][\w]*\.[\w.]*\w", Name.Builtin),
            (
                words(
                    (
                        *("for", "block", "in", "parallel", "vectorized", "unrolled", "thread"),
                        *("init", "do", "where", "spatial", "reduce", "opaque", "alloc", "if"),
                        *("else", "store", "to", "primfn", "attr", "allocate", "let", "tensors"),
                        *("scan", "vthread", "stage", "inline", "at"),
                    ),
                    prefix=r"\b",
                    suffix=r"\b",
                ),
                Keyword,
            ),
            (r"\b[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?(?:f[0-9]+)?\b", Number.Float),
            (r"\b[0-9]+(?:[fiu][0-9]+)?\b", Number.Integer),
            (r"[A-Za-z_]\w*", Name),
            (r"[-+*/%=<>!&|?]+", Operator),
            (r"[(){}\[\],:;.]", Punctuation),
            (r".", Text),
        ],
    }
