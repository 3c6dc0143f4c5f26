import type { JsonObject } from '../../kit/json.ts'

/** The id under which the provider keeps a response; it says so itself where it does not. */
export function findKeptId({ id, store }: JsonObject): string | undefined {
  return typeof id === 'string' && id !== '' && store !== false ? id : undefined
}
