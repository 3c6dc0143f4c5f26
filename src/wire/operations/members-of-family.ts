import type { Operation } from '../wire-format.ts'

/** The members that an operation of a format has in common with the conversations of that format. */
type FamilyMembers = Pick<
  Operation,
  | 'writeError'
  | 'writeErrorEvent'
  | 'readError'
  | 'forwardedHeaders'
  | 'requestIdHeader'
  | 'heartbeat'
  | 'paramOf'
  | 'writeLimitHeaders'
  | 'readCallerLabels'
>

/** Picks these members of the format of conversations, for another operation. */
export function membersOfFamily(format: FamilyMembers): FamilyMembers {
  return {
    writeError: format.writeError,
    writeErrorEvent: format.writeErrorEvent,
    readError: format.readError,
    forwardedHeaders: format.forwardedHeaders,
    requestIdHeader: format.requestIdHeader,
    heartbeat: format.heartbeat,
    paramOf: format.paramOf,
    writeLimitHeaders: format.writeLimitHeaders,
    readCallerLabels: format.readCallerLabels,
  }
}
