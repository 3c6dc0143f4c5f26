/**
 * The scopes of tokens. `noun:write` includes `noun:read`. `sensitive:write` is needed besides the scope of the
 * operation where a person would have to enter the password again, which a script cannot do.
 */
export const scopes = [
  'keys:read',
  'keys:write',
  'channels:read',
  'channels:write',
  'models:read',
  'models:write',
  'groups:read',
  'groups:write',
  'config:read',
  'config:write',
  'budgets:read',
  'budgets:write',
  'credits:read',
  'credits:write',
  'prices:read',
  'usage:read',
  'ledger:read',
  'requests:read',
  'health:read',
  'health:write',
  'audit:read',
  'backup:read',
  'users:read',
  'users:write',
  'tokens:read',
  'tokens:write',
  'alerts:read',
  'alerts:write',
  'captures:read',
  'captures:write',
  'playground:write',
  'sensitive:write',
] as const

export type Scope = (typeof scopes)[number]

/** Whether one of a token's scopes equals the wanted scope or includes it. */
export function coversScope(owned: readonly Scope[], wanted: Scope): boolean {
  return owned.some((scope) => scope === wanted || scope === wanted.replace(/:read$/, ':write'))
}

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text)
}
