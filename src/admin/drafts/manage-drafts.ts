import type { Actor, AuditRecord } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { checkApiDocument } from '../../config/layers/api-document.ts'
import { createMutex } from '../../kit/async/create-mutex.ts'
import { brand } from '../../kit/brand.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { DraftId } from '../config/config-draft-store.ts'
import { type ConfigOperations, loadVersion } from '../config/config-operations.ts'
import type { LiveConfig } from '../config/live-config.ts'
import { changeObject, type ObjectChange } from '../config/object-edits.ts'
import { describeInvalid, planDocument, withConfigErrors } from '../config/plan-document.ts'
import type { PreviewOperations } from '../config/preview-changes.ts'
import type {
  AppliedDraft,
  ApplyDraft,
  ChangeDraft,
  CreateDraft,
  DraftList,
  DraftSummary,
  DraftView,
  RebaseDraft,
} from './draft-contract.ts'
import { rebaseDraft } from './rebase-draft.ts'
import { type OpenDraft, type OpenDrafts, sizeOf } from './sealed-drafts.ts'
import { summarizeDraft, viewDraft } from './view-draft.ts'

/** The operations on drafts. A fulfilled change is durable. */
export interface DraftOperations {
  list(): Promise<DraftList>
  create(input: CreateDraft, by: Actor): Promise<DraftSummary>
  /** The draft with the effects of applying it now. */
  get(id: string): Promise<DraftView>
  /** Changes the name or the comment of a draft. */
  rename(id: string, input: ChangeDraft): Promise<DraftSummary>
  /** Changes one object in the draft. Dependencies on other objects are checked when the draft is shown and applied. */
  change(id: string, change: ObjectChange, by: Actor): Promise<DraftSummary>
  /**
   * Rebases the draft on the newest version. Fails with `draft_conflict` if the input does not say which change
   * stays.
   */
  rebase(id: string, input: RebaseDraft): Promise<DraftSummary>
  /** Makes the draft the newest version, as a whole or not at all, and deletes it. */
  apply(id: string, input: ApplyDraft, by: Actor): Promise<AppliedDraft>
  discard(id: string, by: Actor): Promise<DraftSummary>
}

export interface DraftOperationOptions {
  readonly drafts: OpenDrafts
  readonly liveConfig: LiveConfig
  readonly operations: Pick<ConfigOperations, 'install'>
  readonly previews: Pick<PreviewOperations, 'document'>
  readonly registry: ProviderRegistry
  readonly clock: Clock
  readonly random: Random
}

const MAX_DRAFTS = 50
const MAX_DOCUMENT_BYTES = 1_048_576
const LIFE_MS = 30 * DAY_MS

export function createDraftOperations(options: DraftOperationOptions): DraftOperations {
  return new ConfigDrafts(options)
}

class ConfigDrafts implements DraftOperations {
  readonly #options: DraftOperationOptions
  readonly #mutex = createMutex()

  constructor(options: DraftOperationOptions) {
    this.#options = options
  }

  async list(): Promise<DraftList> {
    const { drafts, clock } = this.#options
    const found = await drafts.list(clock.nowMs())
    return { data: found.map((draft) => summarizeDraft(draft, this.#newest())) }
  }

  async create({ name, comment, from_version: from }: CreateDraft, by: Actor): Promise<DraftSummary> {
    const { drafts, liveConfig, clock, random } = this.#options
    const { newest } = liveConfig.state()
    const { document } = from === undefined ? newest : await loadVersion(liveConfig, from)
    const nowMs = clock.nowMs()
    const draft = {
      id: brand<DraftId>(`draft_${random.bytes(12).toString('hex')}`),
      name,
      comment,
      author: by.author,
      baseVersion: newest.number,
      revision: 1,
      document,
      createdAtMs: nowMs,
      changedAtMs: nowMs,
      expiresAtMs: nowMs + LIFE_MS,
    }
    refuseLarge(document)
    await drafts.create(draft, this.#record('draft.create', draft, by), MAX_DRAFTS)
    return summarizeDraft(draft, newest)
  }

  async get(id: string): Promise<DraftView> {
    const draft = await this.#load(id)
    return viewDraft(draft, this.#options)
  }

  rename(id: string, { name, comment }: ChangeDraft): Promise<DraftSummary> {
    return this.#replace(id, async (draft) => ({
      name: name ?? draft.name,
      comment: comment === undefined ? draft.comment : (comment ?? undefined),
    }))
  }

  change(id: string, change: ObjectChange, by: Actor): Promise<DraftSummary> {
    const { liveConfig, registry } = this.#options
    return this.#replace(id, async (draft) => {
      const state = liveConfig.state()
      let { document } = draft
      const edit: ConfigOperations['edit'] = (one) =>
        withConfigErrors(async () => {
          document = planDocument(one, { document, state }, registry)
          const problems = checkApiDocument(document, registry, state.file.apiMayReachPrivate)
          if (problems.length > 0) throw describeInvalid({ problems })
          return state
        })
      await changeObject(change, { edit }, by)
      return { document }
    })
  }

  rebase(id: string, input: RebaseDraft): Promise<DraftSummary> {
    return this.#replace(id, (draft) => rebaseDraft(draft, input ?? {}, this.#options.liveConfig))
  }

  apply(id: string, input: ApplyDraft, by: Actor): Promise<AppliedDraft> {
    const { operations, drafts } = this.#options
    const { comment, revision } = input ?? {}
    return this.#mutex.run(async () => {
      const draft = await this.#load(id)
      if (revision !== undefined && revision !== draft.revision) throw new GatewayError('draft_changed')
      if (draft.baseVersion !== this.#newest().number) throw new GatewayError('draft_outdated')
      const author = {
        ...by,
        comment: comment ?? draft.comment ?? draft.name,
        baseVersion: draft.baseVersion,
      }
      const state = await operations.install(draft.document, author)
      // The change is in force. If a crash leaves the draft behind, applying it again would change nothing.
      await drafts.deleteApplied(draft)
      return { version: state.newest.number, draft: summarizeDraft(draft, state.newest) }
    })
  }

  discard(id: string, by: Actor): Promise<DraftSummary> {
    return this.#mutex.run(async () => {
      const draft = await this.#load(id)
      await this.#options.drafts.delete(draft.id, this.#record('draft.discard', draft, by))
      return summarizeDraft(draft, this.#newest())
    })
  }

  #newest() {
    return this.#options.liveConfig.state().newest
  }

  async #load(id: string): Promise<OpenDraft> {
    const { drafts, clock } = this.#options
    const found = await drafts.find(id, clock.nowMs())
    if (found === undefined) throw new GatewayError('draft_not_found')
    return found
  }

  /** The next revision of a draft. Each change restarts its lifetime. */
  #replace(
    id: string,
    plan: (
      draft: OpenDraft,
    ) => Promise<Partial<Pick<OpenDraft, 'name' | 'comment' | 'document' | 'baseVersion'>>>,
  ): Promise<DraftSummary> {
    const { drafts, clock } = this.#options
    return this.#mutex.run(async () => {
      const { problems: _, ...draft } = await this.#load(id)
      const changed = await plan({ ...draft, problems: [] })
      const nowMs = clock.nowMs()
      const next = {
        ...draft,
        ...changed,
        revision: draft.revision + 1,
        changedAtMs: nowMs,
        expiresAtMs: nowMs + LIFE_MS,
      }
      refuseLarge(next.document)
      if (!(await drafts.replace(next))) throw new GatewayError('draft_changed')
      return summarizeDraft(next, this.#newest())
    })
  }

  #record(
    action: 'draft.create' | 'draft.discard',
    { id, name }: Pick<OpenDraft, 'id' | 'name'>,
    by: Actor,
  ): AuditRecord {
    const { author, credential, address } = by
    const atMs = this.#options.clock.nowMs()
    return { author, credential, address, action, subject: id, details: [`name: ${name}`], atMs }
  }
}

function refuseLarge(document: JsonObject): void {
  if (sizeOf(document) > MAX_DOCUMENT_BYTES) throw new GatewayError('draft_too_large')
}
