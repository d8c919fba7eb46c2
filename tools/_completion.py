"""``kc completion bash|zsh|fish``: a completion script for the shell, generated from the registry.

The script contains all words that exist when it is generated, including those of plugins, so
completion starts no Python. Generate it again after you install a plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kc.support import registry
from kc.support.diagnostics import InputError, suggest
from kc.support.explain import explanations
from kc.tools._command_line import Flag


@dataclass(frozen=True)
class Word:
    """A flag or pass as it is typed. ``values`` are the possible values after ``=``."""

    name: str
    about: str
    values: tuple[str, ...] = ()
    takes_value: bool = False

    @property
    def typed(self) -> str:
        """``--split``, ``--to=``, ``-o``."""
        if len(self.name) == 1:
            return f"-{self.name}"
        return f"--{self.name}{'=' if self.takes_value else ''}"


def completion(argv: Sequence[str]) -> str:
    """The completion script for the shell ``argv[0]``."""
    shell = argv[0] if len(argv) == 1 else ""
    if shell not in SHELLS:
        raise InputError(
            "KC0002",
            f"there is no completion for '{shell}'" if shell else "completion takes a shell",
            hints=suggest(shell, SHELLS, "the shells are"),
        )
    tools = {name: _words(name) for name in ("opt", "run", "translate")}
    return "\n".join(SHELLS[shell](tools)) + "\n"


def _words(tool: str) -> list[Word]:
    from kc.tools import kc_opt, kc_run, kc_translate

    flags = {"opt": kc_opt.FLAGS, "run": kc_run.FLAGS, "translate": kc_translate.flags()}[tool]
    words = [Word(flag.name, flag.help, _values(flag), flag.value is not None) for flag in flags]
    return [*words, *_passes()] if tool == "opt" else words


def _passes() -> Iterator[Word]:
    from kc.tools._help import describe

    for entry in registry.current().passes.values():
        about, options, _ = describe(entry)
        names = tuple(f"{option.rstrip('?')}=" for option in options)
        yield Word(entry.name, about.rstrip("."), names)


def _values(flag: Flag) -> tuple[str, ...]:
    if flag.name == "to":
        return tuple(registry.current().formats)
    if flag.name == "explain":
        return tuple(explanations())
    if (flag.value or "").startswith("PASS"):
        return tuple(registry.current().passes)
    return flag.choices


def _commands() -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each command of ``kc``, its purpose and the words that may follow it."""
    from kc.__main__ import COMMANDS
    from kc.tools import _cache

    following = {
        "completion": tuple(SHELLS),
        "cache": tuple(_cache.COMMANDS),
        "explain": tuple(explanations()),
        "docs": (*registry.current().passes, *explanations()),
    }
    return {name: (about, following.get(name, ())) for name, about in COMMANDS.items()}


def _bash(tools: dict[str, list[Word]]) -> Iterator[str]:
    yield "# Completion of kc for bash: source <(kc completion bash)"
    yield "_kc() {"
    yield '  local line="${COMP_LINE:0:COMP_POINT}" tool="${COMP_WORDS[0]##*/}" flags= values='
    yield '  local current="${line##*[[:space:]]}" second="${COMP_WORDS[1]}"'
    yield "  COMPREPLY=()"
    yield "  if [[ $tool == kc ]]; then"
    yield "    if (( COMP_CWORD == 1 )); then"
    yield f'      COMPREPLY=($(compgen -W "{" ".join(_commands())}" -- "$current")); return'
    yield "    fi"
    yield "    case $second in"
    for name, (_, following) in _commands().items():
        if following:
            reply = f'COMPREPLY=($(compgen -W "{" ".join(following)}" -- "$current"))'
            yield f"      {name}) {reply}; return ;;"
    yield "      opt|run|translate) tool=kc-$second ;;"
    yield "    esac"
    yield "  fi"
    yield '  case "$tool ${current%%=*}" in'
    for tool, words in tools.items():
        for word in words:
            if word.values:
                yield f'    "kc-{tool} --{word.name}") values="{" ".join(word.values)}" ;;'
    yield "  esac"
    yield "  case $tool in"
    for tool, words in tools.items():
        yield f'    kc-{tool}) flags="{" ".join(word.typed for word in words)}" ;;'
    yield "  esac"
    yield "  if [[ $current == --*=* ]]; then"
    # Readline completes what stands after '=' as a word of its own.
    yield '    COMPREPLY=($(compgen -W "$values" -- "${current#*=}"))'
    yield '    [[ -n $values ]] || COMPREPLY=($(compgen -f -- "${current#*=}"))'
    yield "  elif [[ $current == -* ]]; then"
    yield '    COMPREPLY=($(compgen -W "$flags" -- "$current"))'
    yield "  else"
    yield '    COMPREPLY=($(compgen -f -- "$current"))'
    yield "  fi"
    yield "  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null"
    yield "  return 0"
    yield "}"
    yield "complete -o filenames -F _kc kc kc-opt kc-run kc-translate"


def _zsh(tools: dict[str, list[Word]]) -> Iterator[str]:
    def described(name: str, about: str) -> str:
        return _quoted(f"{name.replace(':', chr(92) + ':')}:{about}")

    yield "#compdef kc kc-opt kc-run kc-translate"
    yield "# Completion of kc for zsh: source <(kc completion zsh), after compinit"
    yield "_kc() {"
    yield "  local tool=${words[1]:t}"
    yield "  local -a flags"
    yield "  if [[ $tool == kc ]]; then"
    yield "    if (( CURRENT == 2 )); then"
    commands = " ".join(described(name, about) for name, (about, _) in _commands().items())
    yield f"      flags=({commands})"
    yield "      _describe command flags; return"
    yield "    fi"
    yield "    case $words[2] in"
    for name, (_, following) in _commands().items():
        if following:
            yield f"      {name}) compadd -- {' '.join(following)}; return ;;"
    yield "      opt|run|translate) tool=kc-$words[2] ;;"
    yield "    esac"
    yield "  fi"
    yield '  case "$tool $PREFIX" in'
    for tool, words in tools.items():
        for word in words:
            if word.values:
                ending = " -S ''" if word.values[0].endswith("=") else ""
                yield (
                    f'    "kc-{tool} --{word.name}="*) compset -P "*="; '
                    f"compadd{ending} -- {' '.join(word.values)}; return ;;"
                )
    yield '    *" --"*=*) compset -P "*="; _files; return ;;'
    yield "  esac"
    yield "  case $tool in"
    for tool, words in tools.items():
        yield f"    kc-{tool}) flags=("
        for word in words:
            yield f"      {described(word.typed, word.about)}"
        yield "    ) ;;"
    yield "  esac"
    yield "  if [[ $PREFIX == -* ]]; then"
    yield "    _describe -o flag flags"
    yield "  else"
    yield "    _files"
    yield "  fi"
    yield "}"
    yield "compdef _kc kc kc-opt kc-run kc-translate"


def _fish(tools: dict[str, list[Word]]) -> Iterator[str]:
    yield "# Completion of kc for fish: kc completion fish | source"
    for name, (about, following) in _commands().items():
        yield f"complete -c kc -f -n __fish_use_subcommand -a {name} -d {_quoted(about)}"
        if following:
            seen = f"'__fish_seen_subcommand_from {name}'"
            yield f"complete -c kc -f -n {seen} -a {_quoted(' '.join(following))}"
    for tool, words in tools.items():
        for command in (f"-c kc-{tool}", f"-c kc -n '__fish_seen_subcommand_from {tool}'"):
            for word in words:
                how = "-s" if len(word.name) == 1 else "-l"
                # A pass stands without options as well; fish then lists none after '='.
                values = f" -a {_quoted(' '.join(word.values))}" if word.values else ""
                takes = (" -x" if word.values else " -r") if word.takes_value else ""
                about = _quoted(word.about)
                yield f"complete {command} {how} {word.name}{takes}{values} -d {about}"


def _quoted(text: str) -> str:
    """``text`` in single quotes, for any of the shells."""
    return "'" + text.replace("\\", "\\\\").replace("'", "’") + "'"


SHELLS: dict[str, Callable[[dict[str, list[Word]]], Iterator[str]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
