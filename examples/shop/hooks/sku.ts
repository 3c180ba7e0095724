/** Upper-case letters first, then groups of digits: `SKU-1-104`. */
export function isSku({ value }: { readonly value: string }): boolean {
  return /^[A-Z]{2,6}(-\d{1,8}){1,3}$/.test(value);
}
