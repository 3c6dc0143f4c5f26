/** The query for the upstream: only `beta=true`, which official clients add for betas. Other parameters are dropped. */
export function forwardQuery(query: string): string {
  return query !== '' && new URLSearchParams(query).get('beta') === 'true' ? '?beta=true' : ''
}
