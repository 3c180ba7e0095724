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
