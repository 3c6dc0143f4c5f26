import { writeTime } from '../../kit/time/write-time.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import type { ConfigDraft } from '../config/config-draft-store.ts'
import type { LiveConfig, OpenVersion } from '../config/live-config.ts'
import type { PreviewOperations } from '../config/preview-changes.ts'
import { viewProblem } from '../config/view-config.ts'
import { diffDocuments } from './diff-documents.ts'
import type { DraftSummary, DraftView } from './draft-contract.ts'
import { mergeDraft } from './rebase-draft.ts'
import type { OpenDraft } from './sealed-drafts.ts'

export function summarizeDraft(draft: ConfigDraft, newest: Pick<OpenVersion, 'number'>): DraftSummary {
  return {
    id: draft.id,
    name: draft.name,
    comment: draft.comment ?? null,
    author: draft.author,
    author_fact: viewAuthor(draft.author),
    created_at: writeTime(draft.createdAtMs),
    changed_at: writeTime(draft.changedAtMs),
    expires_at: writeTime(draft.expiresAtMs),
    revision: draft.revision,
    base_version: draft.baseVersion,
    outdated: draft.baseVersion !== newest.number,
  }
}

interface DraftViewContext {
  readonly liveConfig: LiveConfig
  readonly previews: Pick<PreviewOperations, 'document'>
}

/** An outdated draft is shown as it would be after rebasing it. */
export async function viewDraft(
  draft: OpenDraft,
  { liveConfig, previews }: DraftViewContext,
): Promise<DraftView> {
  const { newest, file } = liveConfig.state()
  const { document, conflicts } = await mergeDraft(draft, liveConfig)
  const { ok, problems, ...preview } = await previews.document(document)
  const sealed = draft.problems.map(viewProblem)
  return {
    ...summarizeDraft(draft, newest),
    ...preview,
    ok: ok && sealed.length === 0,
    problems: [...sealed, ...problems],
    diff: [...diffDocuments(newest.document, document, file.file.value)],
    conflicts: [...conflicts],
  }
}
