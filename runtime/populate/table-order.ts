/** The order in which tables are filled: what is referred to comes before what refers to it, as far as that goes. */
import type { Definition, Model } from '../../compiler/definition/definition.ts';

export function tableOrder({ models }: Definition): readonly Model[] {
  const byName = new Map(models.map((model) => [model.name, model]));
  const order: Model[] = [];
  const seen = new Set<string>();
  const visit = (model: Model): void => {
    if (seen.has(model.name)) return;
    seen.add(model.name);
    // Nullable references give way where models refer to each other in a circle.
    const required = [...model.references].sort((a, b) => Number(a.nullable) - Number(b.nullable));
    for (const { to } of required) visit(byName.get(to) as Model);
    order.push(model);
  };
  for (const model of models) visit(model);
  return order;
}

/** Whether the rows that a reference leads to may come later than the rows that refer to them. */
export function isBackward(order: readonly Model[], from: string, to: string): boolean {
  const place = (name: string) => order.findIndex((model) => model.name === name);
  return place(to) > place(from);
}
