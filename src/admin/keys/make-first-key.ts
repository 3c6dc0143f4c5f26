import type { CreatedKey } from '../contract.ts'
import type { OwnKeyOperations } from './manage-keys.ts'

const firstStart = { author: 'first start', address: '' } as const

/**
 * Where no key was ever made or given by the file, makes one that may use every model, so that a newcomer has something
 * to call with. Its secret is handed over first: a process that ends in between leaves no key, and the next start makes
 * another, while a key whose secret nobody has could never be used.
 */
export async function makeFirstKey(
  keys: Pick<OwnKeyOperations, 'list' | 'create'>,
  handOver: (secret: string) => void,
): Promise<CreatedKey | undefined> {
  const { data } = await keys.list({ includeRevoked: true })
  if (data.length > 0) return undefined
  return keys.create({ name: 'default', models: ['*'] }, firstStart, handOver)
}
