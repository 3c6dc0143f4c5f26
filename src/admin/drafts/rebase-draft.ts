import { GatewayError } from '../../canonical/failure.ts'
import type { RefusalFact } from '../../canonical/refusal.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { loadVersion } from '../config/config-operations.ts'
import type { LiveConfig } from '../config/live-config.ts'
import {
  type ChooseSide,
  type MergeConflict,
  type MergedChanges,
  mergeChanges,
} from '../config/merge-changes.ts'
import type { RebaseDraft } from './draft-contract.ts'
import type { OpenDraft } from './sealed-drafts.ts'

type DraftState = Pick<OpenDraft, 'document' | 'baseVersion'>

/** The draft as a change of the newest version. It may be one already. */
export async function mergeDraft(
  { document, baseVersion }: DraftState,
  liveConfig: Pick<LiveConfig, 'state' | 'find'>,
  choose?: ChooseSide,
): Promise<MergedChanges> {
  const { newest } = liveConfig.state()
  if (baseVersion === newest.number) return { document, conflicts: [] }
  const base = await loadVersion(liveConfig, baseVersion)
  return mergeChanges({ base: base.document, mine: document, theirs: newest.document }, choose)
}

/** Fails with `draft_conflict` and names each conflict for which the input does not say which change stays. */
export async function rebaseDraft(
  draft: DraftState,
  { prefer, choices = [] }: NonNullable<RebaseDraft>,
  liveConfig: Pick<LiveConfig, 'state' | 'find'>,
): Promise<{ readonly document: JsonObject; readonly baseVersion: number }> {
  const { number } = liveConfig.state().newest
  const chosen = new Map(choices.map(({ kind, name, stays }) => [`${kind} ${name}`, stays]))
  const staysOf = ({ kind, name }: MergeConflict) => chosen.get(`${kind} ${name}`) ?? prefer
  const { document, conflicts } = await mergeDraft(draft, liveConfig, (conflict) =>
    staysOf(conflict) === 'newest' ? 'theirs' : 'mine',
  )
  const open = conflicts.filter((conflict) => staysOf(conflict) === undefined)
  if (open.length > 0) throw refuseConflicts(open)
  return { document, baseVersion: number }
}

function refuseConflicts(conflicts: readonly MergeConflict[]): GatewayError {
  const problems = conflicts.map(({ kind, name, mine, theirs }) => ({
    path: `${kind}.${name}`,
    message: `is ${mine} by the draft, and was ${theirs} by a newer version`,
    fact: { code: 'changed_by_both', values: { draft: mine, newest: theirs } } satisfies RefusalFact,
  }))
  const names = problems.map(({ path }) => path).join(', ')
  const message = `The draft and newer versions changed the same objects: ${names}. Say for each in "choices", or for all in "prefer", whether that of the draft or of the newest version stays.`
  return new GatewayError('draft_conflict', { message, problems })
}
