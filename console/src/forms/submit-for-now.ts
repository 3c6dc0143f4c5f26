import type { ZodType } from 'zod'
import { hasCode } from '../api/api-error.ts'
import { callTagged, type TaggedAnswer } from '../api/call-api.ts'
import { findConflicts } from './find-conflicts.ts'

/** More changes by others than this between reading and writing are an error that the user sees. */
const MAX_READS = 4

type Values = Readonly<Record<string, unknown>>

/** The changes by another user of an object that the user changes. */
export interface OtherChanges<Read> {
  readonly conflicts: readonly string[]
  readonly now: Read
}

interface Edited {
  readonly initial: Values
  readonly typed: Values
}

/**
 * Sends a change for the state that was just read. Resolves with the changes by another user that it would overwrite,
 * and sends nothing then. The gateway refuses a change if the state is older than it; the state is then read again.
 */
export async function submitForNow<Read extends Values>(
  { initial, typed }: Edited,
  reread: (() => Promise<TaggedAnswer<Read>>) | undefined,
  submit: (ifMatch: string | undefined) => Promise<unknown>,
): Promise<OtherChanges<Read> | undefined> {
  for (let reads = 1; ; reads += 1) {
    const now = await reread?.()
    const conflicts = now === undefined ? [] : findConflicts({ initial, typed, now: now.body })
    if (now !== undefined && conflicts.length > 0) return { conflicts, now: now.body }
    try {
      await submit(now?.etag)
      return undefined
    } catch (error) {
      if (now === undefined || reads === MAX_READS || !hasCode(error, 'config_version_conflict')) throw error
    }
  }
}

interface Reread<View, Read> {
  readonly path: string
  readonly answer: ZodType<View>
  readonly read: (view: View) => Read
}

/** Reads an object again, as the values of its form. */
export function rereads<View, Read>({
  path,
  answer,
  read,
}: Reread<View, Read>): () => Promise<TaggedAnswer<Read>> {
  return async () => {
    const { body, etag } = await callTagged({ path, answer })
    return { body: read(body), etag }
  }
}
