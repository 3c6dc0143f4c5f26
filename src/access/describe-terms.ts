import type { Key } from './key.ts'

/** A key's name and what it may do, for the record of who gave it; never its secret. */
export function describeTerms(key: Key): readonly string[] {
  const { name, permission, group, allowIps, expiresAtMs, disabled, dryRun } = key
  const models = permission.type === 'all' ? 'every model' : [...permission.models].join(', ')
  return [
    `name: ${name}`,
    `models: ${models}`,
    ...(group === undefined ? [] : [`group: ${group}`]),
    ...(allowIps.length === 0 ? [] : [`addresses: ${allowIps.join(', ')}`]),
    ...(expiresAtMs === undefined ? [] : [`expires: ${new Date(expiresAtMs).toISOString()}`]),
    ...(disabled ? ['disabled'] : []),
    ...(dryRun ? ['dry runs: allowed'] : []),
  ]
}
