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

/** The scopes suggested while the user types. The gateway decides which scopes exist. */
export const offeredScopes: readonly string[] = [
  ...nouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`]),
  ...readNouns.map((noun) => `${noun}:read`),
  'sensitive:write',
].toSorted()
