/** Makes a value of an object once for each object: a definition never changes. */
export function memoized<K extends object, V>(make: (part: K) => V): (part: K) => V {
  const memo = new WeakMap<K, { readonly made: V }>();
  return (part) => {
    const known = memo.get(part);
    if (known) return known.made;
    const made = make(part);
    memo.set(part, { made });
    return made;
  };
}

/**
 * Makes a value of an object and of something beside it, and keeps the last one for as long as that is the same. What was
 * made of the thing beside it is forgotten: in a row of edits each would keep the previous one, and so all of them.
 */
export function memoizedBeside<O, K extends object, V>(make: (other: O, part: K) => V): (other: O, part: K) => V {
  const lasts = new WeakMap<K, { readonly other: O; readonly made: V }>();
  return (other, part) => {
    const last = lasts.get(part);
    if (last?.other === other) return last.made;
    const made = make(other, part);
    // A WeakMap takes any value here: what is no object has no entry.
    lasts.delete(other as unknown as K);
    lasts.set(part, { other, made });
    return made;
  };
}

/** Makes a value when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
