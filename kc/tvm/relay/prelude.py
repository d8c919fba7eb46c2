"""``relay.prelude.Prelude``: lists, options and trees, and functions of them.

The names and types are those of Relay's prelude; :data:`TEXT` is what they are here.
"""

from __future__ import annotations

from functools import cache

from kc.tir.module import IRModule
from kc.tvm.relay.adt import Constructor, GlobalTypeVar
from kc.tvm.relay.expr import GlobalVar

TEXT = """
type List[A] { Cons(A, List[A]), Nil, }
type Option[A] { Some(A), None, }
type Tree[A] { Rose(A, List[Tree[A]]), }

def @id[A](%x: A) -> A { %x }
def @compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B) -> fn (A) -> C {
  fn (%x: A) -> C { %f(%g(%x)) }
}
def @flip[A, B, C](%f: fn (A, B) -> C) -> fn (B, A) -> C {
  fn (%b: B, %a: A) -> C { %f(%a, %b) }
}
def @iterate[A](%f: fn (A) -> A, %n: int32) -> fn (A) -> A {
  if (%n == 0) { @id } else { @compose(%f, @iterate(%f, %n - 1)) }
}
def @hd[A](%xs: List[A]) -> A { match? (%xs) { Cons(%x, _) => %x } }
def @tl[A](%xs: List[A]) -> List[A] { match? (%xs) { Cons(_, %rest) => %rest } }
def @nth[A](%xs: List[A], %n: int32) -> A {
  if (%n == 0) { @hd(%xs) } else { @nth(@tl(%xs), %n - 1) }
}
def @length[A](%xs: List[A]) -> int32 {
  match (%xs) { Cons(_, %rest) => 1 + @length(%rest), Nil => 0 }
}
def @update[A](%xs: List[A], %n: int32, %value: A) -> List[A] {
  if (%n == 0) { Cons(%value, @tl(%xs)) }
  else { Cons(@hd(%xs), @update(@tl(%xs), %n - 1, %value)) }
}
def @map[A, B](%f: fn (A) -> B, %xs: List[A]) -> List[B] {
  match (%xs) { Cons(%x, %rest) => Cons(%f(%x), @map(%f, %rest)), Nil => Nil }
}
def @foldl[A, B](%f: fn (A, B) -> A, %start: A, %xs: List[B]) -> A {
  match (%xs) { Cons(%x, %rest) => @foldl(%f, %f(%start, %x), %rest), Nil => %start }
}
def @foldr[A, B](%f: fn (A, B) -> B, %last: B, %xs: List[A]) -> B {
  match (%xs) { Cons(%x, %rest) => %f(%x, @foldr(%f, %last, %rest)), Nil => %last }
}
def @foldr1[A](%f: fn (A, A) -> A, %xs: List[A]) -> A {
  match? (%xs) { Cons(%x, Nil) => %x, Cons(%x, %rest) => %f(%x, @foldr1(%f, %rest)) }
}
def @sum(%xs: List[int32]) -> int32 {
  @foldl(fn (%total: int32, %x: int32) -> int32 { %total + %x }, 0, %xs)
}
def @concat[A](%xs: List[A], %ys: List[A]) -> List[A] {
  match (%xs) { Cons(%x, %rest) => Cons(%x, @concat(%rest, %ys)), Nil => %ys }
}
def @filter[A](%f: fn (A) -> bool, %xs: List[A]) -> List[A] {
  match (%xs) {
    Cons(%x, %rest) => {
      if (%f(%x)) { Cons(%x, @filter(%f, %rest)) } else { @filter(%f, %rest) }
    },
    Nil => Nil
  }
}
def @zip[A, B](%xs: List[A], %ys: List[B]) -> List[(A, B)] {
  match ((%xs, %ys)) {
    (Cons(%x, %more), Cons(%y, %rest)) => Cons((%x, %y), @zip(%more, %rest)),
    _ => Nil
  }
}
def @rev[A](%xs: List[A]) -> List[A] {
  @foldl(fn (%done: List[A], %x: A) -> List[A] { Cons(%x, %done) }, Nil, %xs)
}
def @map_accumr[A, B, C](%f: fn (A, B) -> (A, C), %start: A, %xs: List[B]) -> (A, List[C]) {
  match (%xs) {
    Cons(%x, %rest) => {
      let %after = @map_accumr(%f, %start, %rest);
      let %own = %f(%after.0, %x);
      (%own.0, Cons(%own.1, %after.1))
    },
    Nil => (%start, Nil)
  }
}
def @map_accuml[A, B, C](%f: fn (A, B) -> (A, C), %start: A, %xs: List[B]) -> (A, List[C]) {
  match (%xs) {
    Cons(%x, %rest) => {
      let %own = %f(%start, %x);
      let %after = @map_accuml(%f, %own.0, %rest);
      (%after.0, Cons(%own.1, %after.1))
    },
    Nil => (%start, Nil)
  }
}
def @unfoldl[A, B](%f: fn (A) -> Option[(A, B)], %seed: A) -> List[B] {
  @rev(@unfoldr(%f, %seed))
}
def @unfoldr[A, B](%f: fn (A) -> Option[(A, B)], %seed: A) -> List[B] {
  match (%f(%seed)) { Some((%next, %x)) => Cons(%x, @unfoldr(%f, %next)), None => Nil }
}
def @tmap[A, B](%f: fn (A) -> B, %tree: Tree[A]) -> Tree[B] {
  match (%tree) {
    Rose(%x, %parts) => {
      Rose(%f(%x), @map(fn (%part: Tree[A]) -> Tree[B] { @tmap(%f, %part) }, %parts))
    }
  }
}
def @size[A](%tree: Tree[A]) -> int32 {
  match (%tree) {
    Rose(_, %parts) => {
      1 + @sum(@map(fn (%part: Tree[A]) -> int32 { @size(%part) }, %parts))
    }
  }
}
"""
"""The data types and functions, as Relay's text."""

TYPES = ("List", "Option", "Tree")
"""The data types."""


@cache
def _module() -> IRModule:
    from kc.tvm.relay.text_parser import parse

    return parse(TEXT, "prelude.rly")


class Prelude:
    """The prelude in a module: an attribute for each function, and for each type and constructor.

    ``Prelude(mod).map`` is ``GlobalVar("map")``; ``.l``, ``.cons``, ``.nil``, ``.optional``,
    ``.some``, ``.none``, ``.tree`` and ``.rose`` are the types and constructors.
    """

    l: GlobalTypeVar  # noqa: E741
    cons: Constructor
    nil: Constructor
    optional: GlobalTypeVar
    some: Constructor
    none: Constructor
    tree: GlobalTypeVar
    rose: Constructor

    def __init__(self, mod: IRModule | None = None) -> None:
        """Add the prelude to ``mod``, or to a new module; what the module has by these names
        stays."""
        self.mod = IRModule() if mod is None else mod
        here = self.mod.functions
        block = self.mod.op.body.block
        for name, op in _module().functions.items():
            if name not in here:
                block.add_op(op.clone())
            if name not in TYPES:
                setattr(self, name, GlobalVar(name))
        self.l, self.cons, self.nil = self.mod.get_type("List")
        self.optional, self.some, self.none = self.mod.get_type("Option")
        self.tree, self.rose = self.mod.get_type("Tree")

    def __getattr__(self, name: str) -> GlobalVar:
        raise AttributeError(f"the prelude has no function '{name}'")
