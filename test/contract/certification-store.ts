import { describe, expect, test } from 'vitest'
import {
  type Certification,
  type CertificationStore,
  MAX_STORED_CERTIFICATIONS,
} from '../../src/admin/certification/certification-store.ts'
import type { ReceivedFact, SentFact } from '../../src/admin/certification/evidence-contract.ts'
import type { NanoDollars } from '../../src/canonical/money.ts'
import { brand } from '../../src/kit/brand.ts'

function certificationOf(id: string, more: Partial<Certification> = {}): Certification {
  return {
    id,
    channel: 'openai',
    model: 'fast',
    upstreamModel: 'gpt-4o',
    state: 'queued',
    author: 'anna',
    startedAtMs: 1_000,
    endedAtMs: undefined,
    updatedAtMs: 1_000,
    checks: ['chat', 'tools'],
    results: [],
    estimatedCost: brand<NanoDollars>(9_000_000),
    cost: undefined,
    ...more,
  }
}

const sentFact: SentFact = {
  type: 'conversation',
  texts: ['Say "kiwi".'],
  turn: 1,
  tool_results: 0,
  tools: 1,
  options: ['streamed'],
}
const receivedFact: ReceivedFact = {
  answer: { type: 'reply', text: 'kiwi', stop_reason: 'end' },
  usage: { output_tokens: 1 },
}

const result: Certification['results'][number] = {
  check: 'chat',
  outcome: 'works',
  finding: 'word_repeated',
  details: { word: 'lantern-1', tokens: 3 },
  evidence: [
    { requestId: 'req_1', sent: 'Repeat', received: 'lantern-1', sentFact, receivedFact },
    {
      requestId: undefined,
      sent: 'nothing',
      received: 'not sent',
      sentFact: undefined,
      receivedFact: undefined,
    },
  ],
  durationMs: 12,
}

const all = { channel: undefined, model: undefined, isNewest: false, before: undefined, limit: 100 }

/** What every store of certifications does. */
export function describeCertificationStore(name: string, open: () => Promise<CertificationStore>): void {
  describe(`the store of certifications in ${name}`, () => {
    test('gives back what was added, and what it became', async () => {
      const store = await open()
      const added = certificationOf('cert_1')
      await store.add(added)
      expect(await store.find('cert_1')).toEqual(added)
      const ended: Certification = {
        ...added,
        state: 'done',
        endedAtMs: 3_000,
        updatedAtMs: 3_000,
        results: [result],
        cost: brand<NanoDollars>(5),
      }
      expect(await store.update(ended)).toBe(true)
      expect(await store.find('cert_1')).toEqual(ended)
      expect(await store.find('cert_2')).toBeUndefined()
    })

    test('lists the newest first, by channel and model, and of each target the newest', async () => {
      const store = await open()
      await store.add(certificationOf('cert_1'))
      await store.add(certificationOf('cert_2', { channel: 'other' }))
      await store.add(certificationOf('cert_3', { model: 'slow' }))
      const ids = async (
        query: Partial<typeof all> | { readonly channel: string } | { readonly model: string },
      ) => (await store.list({ ...all, ...query })).map(({ id }) => id)
      expect(await ids({})).toEqual(['cert_3', 'cert_2', 'cert_1'])
      expect(await ids({ channel: 'openai' })).toEqual(['cert_3', 'cert_1'])
      expect(await ids({ model: 'fast' })).toEqual(['cert_2', 'cert_1'])
      expect(await ids({ isNewest: true })).toEqual(['cert_3', 'cert_2'])
      expect((await store.list({ ...all, before: 'cert_3', limit: 1 })).map(({ id }) => id)).toEqual([
        'cert_2',
      ])
    })

    test('takes no results of one that was cancelled, but its own end', async () => {
      const store = await open()
      await store.add(certificationOf('cert_1'))
      await store.cancel('cert_1', 2_000)
      expect(await store.find('cert_1')).toMatchObject({ state: 'cancelled', endedAtMs: 2_000 })
      expect(await store.update(certificationOf('cert_1', { state: 'running' }))).toBe(false)
      const ended = certificationOf('cert_1', { state: 'cancelled', endedAtMs: 2_500, results: [result] })
      expect(await store.update(ended)).toBe(true)
      expect(await store.find('cert_1')).toEqual(ended)
    })

    test('does not cancel what has ended', async () => {
      const store = await open()
      await store.add(certificationOf('cert_1', { state: 'done', endedAtMs: 1_500 }))
      await store.cancel('cert_1', 2_000)
      expect(await store.find('cert_1')).toMatchObject({ state: 'done', endedAtMs: 1_500 })
    })

    test('holds a bounded number of each channel and model, the newest', async () => {
      const store = await open()
      await store.add(certificationOf('cert_00', { channel: 'other' }))
      const ids = Array.from({ length: MAX_STORED_CERTIFICATIONS + 2 }, (_, index) => `cert_${index + 10}`)
      for (const id of ids) await store.add(certificationOf(id))
      const stored = await store.list(all)
      expect(stored.map(({ id }) => id)).toEqual([...ids.slice(2).toReversed(), 'cert_00'])
    })
  })
}
