interface PriceListArgs {
  readonly rows: readonly PriceListRow[];
}

interface PriceListRow {
  readonly sku: string;
  readonly name: string;
  readonly price: string;
  readonly currency: string;
}

interface Context {
  readonly response: {
    setHeader(name: string, value: string): unknown;
    end(body: string): unknown;
  };
}

export function sendPriceList({ rows }: PriceListArgs, { response }: Context): void {
  const lines = rows.map(({ sku, name, price, currency }) => [sku, name, price, currency].map(quoted).join(','));
  response.setHeader('content-type', 'text/csv; charset=utf-8');
  response.setHeader('content-disposition', 'attachment; filename="price-list.csv"');
  response.end(['sku,name,price,currency', ...lines, ''].join('\r\n'));
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}
