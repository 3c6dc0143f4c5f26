import type { AuditRecord } from '../../canonical/audit.ts'
import type { ConfigProblem } from '../../config/config-error.ts'
import { openDocument, sealDocument } from '../../config/secrets/seal-document.ts'
import type { Sealer } from '../../kit/bytes/seal.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { ConfigDraft, ConfigDraftStore, DraftId } from '../config/config-draft-store.ts'

/** A draft with its secrets in plain text. */
export interface OpenDraft extends ConfigDraft {
  /** Secrets that were encrypted with another installation secret and must be entered again. */
  readonly problems: readonly ConfigProblem[]
}

/** The store of drafts, with their secrets in plain text. */
export interface OpenDrafts {
  list(nowMs: number): Promise<readonly ConfigDraft[]>
  find(id: string, nowMs: number): Promise<OpenDraft | undefined>
  create(draft: ConfigDraft, record: AuditRecord, maxDrafts: number): Promise<void>
  replace(draft: ConfigDraft): Promise<boolean>
  delete(id: DraftId, record?: AuditRecord): Promise<boolean>
  deleteApplied(draft: Pick<ConfigDraft, 'id' | 'revision'>): Promise<boolean>
}

/** Encrypts the secrets of drafts for the store and decrypts them on reading. */
export function createSealedDrafts(store: ConfigDraftStore, sealer: Sealer): OpenDrafts {
  const seal = (draft: ConfigDraft): ConfigDraft => ({
    ...draft,
    document: sealDocument(draft.document, rowOf(draft), sealer),
  })
  return {
    list: store.list,
    async find(id, nowMs) {
      const stored = await store.find(id, nowMs)
      if (stored === undefined) return undefined
      const { document, problems } = openDocument(stored.document, rowOf(stored), sealer)
      return { ...stored, document, problems }
    },
    create: (draft, record, maxDrafts) => store.create(seal(draft), record, maxDrafts),
    replace: (draft) => store.replace(seal(draft)),
    delete: store.delete,
    deleteApplied: store.deleteApplied,
  }
}

function rowOf({ id }: Pick<ConfigDraft, 'id'>): { readonly type: 'draft'; readonly id: string } {
  return { type: 'draft', id }
}

export function sizeOf(document: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(document))
}
