import type { CacheMark } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { Dialect } from '../../dialect.ts'
import { writeCacheMark } from '../values/cache-control.ts'

/** The context that all writers of request parts share. */
export interface WriteContext {
  readonly dialect: Dialect
  readonly losses: LossList
}

const none: JsonObject = Object.freeze({})

/** Returns the field for a cache mark, where the dialect has one. */
export function cacheMarkField(mark: CacheMark | undefined, context: WriteContext): JsonObject {
  if (mark === undefined) return none
  if (context.dialect.cacheMarks) return { cache_control: writeCacheMark(mark) }
  context.losses.lose('cache-mark', 'dropped')
  return {}
}

/** Returns the field for the speaker's name, where the dialect has one. */
export function nameField(name: string | undefined, context: WriteContext): JsonObject {
  if (name === undefined) return none
  if (context.dialect.participantNames) return { name }
  context.losses.lose('participant-name', 'dropped')
  return {}
}
