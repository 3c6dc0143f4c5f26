const nouns = [
  'keys',
  'channels',
  'models',
  'config',
  'budgets',
  'credits',
  'users',
  'tokens',
  'health',
] as const
const readNouns = ['prices', 'usage', 'ledger', 'requests', 'audit', 'backup'] as const

/** The scopes that are offered while the user types; the gateway says which there are. */
export const offeredScopes: readonly string[] = [
  ...nouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`]),
  ...readNouns.map((noun) => `${noun}:read`),
  'sensitive:write',
].toSorted()
