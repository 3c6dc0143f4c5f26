import type { CreatedKey, KeyOperations } from './contract.ts'

const firstStart = { author: 'first start', address: '' } as const

/**
 * Where no key was ever made or given by the file, makes one that may use every model, so that a newcomer has something
 * to call with. Whoever asks for it decides where its secret may be shown.
 */
export async function makeFirstKey(keys: KeyOperations): Promise<CreatedKey | undefined> {
  const { data } = await keys.list({ includeRevoked: true })
  return data.length === 0 ? keys.create({ name: 'default', models: ['*'] }, firstStart) : undefined
}
