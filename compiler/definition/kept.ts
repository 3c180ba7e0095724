/**
 * What is made of an object, made once for each object. After an edit most parts of a definition are the same objects, and
 * what was made of them before is still right: nothing of them ever changes.
 */
export function keptFor<K extends object, V>(make: (part: K) => V): (part: K) => V {
  const kept = new WeakMap<K, { readonly made: V }>();
  return (part) => {
    const known = kept.get(part);
    if (known) return known.made;
    const made = make(part);
    kept.set(part, { made });
    return made;
  };
}

/**
 * What is made of an object and of something beside it. The last one is kept, for as long as that is the same. What was
 * made of the thing beside it is not: in a row of edits each would keep the one before it, and so all of them.
 */
export function keptBeside<O, K extends object, V>(make: (other: O, part: K) => V): (other: O, part: K) => V {
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

/** Made when it is first asked for, and kept. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
