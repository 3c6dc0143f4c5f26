import { describe, expect, test } from 'vitest'
import type { ConfigDraft, ConfigDraftStore, DraftId } from '../../src/admin/config/config-draft-store.ts'
import type { AuditRecord } from '../../src/canonical/audit.ts'
import { GatewayError } from '../../src/canonical/failure.ts'
import { brand } from '../../src/kit/brand.ts'

const NOW_MS = Date.UTC(2026, 10, 24)
const record: AuditRecord = {
  author: 'tests',
  credential: 'session',
  address: '192.0.2.1',
  action: 'draft.create',
  subject: 'draft_1',
  details: ['name: one'],
  atMs: NOW_MS,
}

function draftOf(id: string, more: Partial<ConfigDraft> = {}): ConfigDraft {
  return {
    id: brand<DraftId>(id),
    name: 'one',
    comment: undefined,
    author: 'anna',
    revision: 1,
    baseVersion: 3,
    createdAtMs: NOW_MS,
    changedAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 1_000,
    document: { channels: [{ name: 'a', api_key: { sealed: 'x' } }], retry: { attempts: 2 } },
    ...more,
  }
}

export interface OpenedDraftStore {
  readonly store: ConfigDraftStore
  readonly countAudit: () => Promise<number>
}

/** The contract of every store of drafts, whatever engine is under it. `open` gives an empty one. */
export function describeConfigDraftStore(engine: string, open: () => Promise<OpenedDraftStore>): void {
  describe(`drafts in ${engine}`, () => {
    test('come back as they were stored, each with its record in the audit, the last changed first', async () => {
      const { store, countAudit } = await open()
      const [one, two] = [
        draftOf('draft_1', { comment: 'why "so"' }),
        draftOf('draft_2', { changedAtMs: NOW_MS + 5, document: {} }),
      ]
      await store.create(one, record, 9)
      await store.create(two, record, 9)
      expect(await store.list(NOW_MS)).toEqual([two, one])
      expect(await store.find('draft_1', NOW_MS)).toEqual(one)
      expect(await store.find('draft_3', NOW_MS)).toBe(undefined)
      expect(await countAudit()).toBe(2)
    })

    test('are gone once they expire, and make room for others', async () => {
      const { store, countAudit } = await open()
      await store.create(draftOf('draft_1'), record, 1)
      const next = draftOf('draft_2', { createdAtMs: NOW_MS + 999, expiresAtMs: NOW_MS + 9_999 })
      const refused = await store.create(next, record, 1).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(GatewayError)
      expect(refused).toMatchObject({ failure: { code: 'too_many_drafts' } })
      expect(await countAudit()).toBe(1)
      expect(await store.find('draft_1', NOW_MS + 999)).toBeDefined()
      expect(await store.find('draft_1', NOW_MS + 1_000)).toBe(undefined)
      expect(await store.list(NOW_MS + 1_000)).toEqual([])
      await store.create({ ...next, createdAtMs: NOW_MS + 1_000 }, record, 1)
      expect(await store.find('draft_1', NOW_MS)).toBe(undefined)
    })

    test('are replaced by their next revision alone', async () => {
      const { store } = await open()
      const one = draftOf('draft_1')
      await store.create(one, record, 9)
      const next = { ...one, revision: 2, name: 'other', baseVersion: 4, document: { queue: 'off' } }
      expect(await store.replace({ ...next, revision: 3 })).toBe(false)
      expect(await store.replace(next)).toBe(true)
      expect(await store.replace(next)).toBe(false)
      expect(await store.find('draft_1', NOW_MS)).toEqual(next)
      expect(await store.replace({ ...next, id: brand<DraftId>('draft_9') })).toBe(false)
    })

    test('are deleted once, with a record where there is one', async () => {
      const { store, countAudit } = await open()
      await store.create(draftOf('draft_1'), record, 9)
      await store.create(draftOf('draft_2'), record, 9)
      expect(await store.delete(brand<DraftId>('draft_1'), { ...record, action: 'draft.discard' })).toBe(true)
      expect(await store.delete(brand<DraftId>('draft_1'), record)).toBe(false)
      expect(await store.delete(brand<DraftId>('draft_2'))).toBe(true)
      expect([await store.list(NOW_MS), await countAudit()]).toEqual([[], 3])
    })

    test('are deleted as applied only at the revision that was applied', async () => {
      const { store } = await open()
      const applied = draftOf('draft_1')
      await store.create(applied, record, 9)
      const changed = { ...applied, revision: 2, document: { queue: 'off' } }
      expect(await store.replace(changed)).toBe(true)
      expect(await store.deleteApplied(applied)).toBe(false)
      expect(await store.find('draft_1', NOW_MS)).toEqual(changed)
      expect(await store.deleteApplied(changed)).toBe(true)
      expect(await store.find('draft_1', NOW_MS)).toBe(undefined)
    })

    test('get another form of their documents, each by its id, or stay', async () => {
      const { store } = await open()
      await store.create(draftOf('draft_1'), record, 9)
      await store.create(draftOf('draft_2'), record, 9)
      const changed = await store.rewrite((document, id) =>
        id === 'draft_2' ? { ...document, log: { level: 'warn' } } : undefined,
      )
      expect(changed).toBe(1)
      expect((await store.find('draft_2', NOW_MS))?.document).toMatchObject({ log: { level: 'warn' } })
      expect((await store.find('draft_1', NOW_MS))?.document).toEqual(draftOf('draft_1').document)
    })
  })
}
