/** The host of a URL as it is dialed and checked: an IPv6 address without its brackets. */
export function bareHost({ hostname }: { readonly hostname: string }): string {
  return hostname.replace(/^\[|\]$/g, '')
}
