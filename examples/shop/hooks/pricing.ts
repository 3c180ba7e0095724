// Decimals reach a hook as text, exact to the last digit; for a label or a quote a number is good enough.

interface PriceLabelArgs {
  readonly price: string;
  readonly currency: string;
}

interface QuoteArgs {
  readonly price: string;
  readonly quantity: string;
}

interface Quote {
  readonly gross: string;
  readonly discount: string;
  readonly net: string;
}

const bulkQuantity = 10;
const bulkDiscount = 0.05;

export function priceLabel({ price, currency }: PriceLabelArgs): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() });
  return format.format(Number(price));
}

export function quoteFor({ price, quantity }: QuoteArgs): Quote {
  const gross = Number(price) * Number(quantity);
  const discount = Number(quantity) >= bulkQuantity ? gross * bulkDiscount : 0;
  return { gross: gross.toFixed(2), discount: discount.toFixed(2), net: (gross - discount).toFixed(2) };
}
