interface PriceLabelArgs {
  readonly price: string;
  readonly currency: string;
}

/** Decimals reach a hook as text, exact to the last digit; for a label a number is good enough. */
export function priceLabel({ price, currency }: PriceLabelArgs): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() });
  return format.format(Number(price));
}
