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
 * Memoizes a value made of an object and a second one. Only the value for the last second object is held, and values
 * that were made of the second object itself are dropped: in a row of edits each would hold the previous one, and so
 * all of them.
 */
export function memoizedBeside<O, K extends object, V>(make: (other: O, part: K) => V): (other: O, part: K) => V {
  const lasts = new WeakMap<object, { readonly other: O; readonly made: V }>();
  return (other, part) => {
    const last = lasts.get(part);
    if (last?.other === other) return last.made;
    const made = make(other, part);
    if (typeof other === 'object' && other !== null) lasts.delete(other);
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
