import { describe, expect, test } from 'vitest'
import type { Alert } from '../../src/alerts/alert.ts'
import type { AlertStore } from '../../src/alerts/alert-store.ts'

const NOW_MS = Date.UTC(2026, 10, 25)

function alertOf(id: string, more: Partial<Alert> = {}): Alert {
  return {
    id,
    identity: `health:${id}`,
    kind: 'credential',
    rule: 'credential',
    severity: 'critical',
    peakSeverity: 'critical',
    level: 1,
    subject: { channel: 'a', credential: 'key-1' },
    message: 'out of rotation, "refused"',
    advice: undefined,
    details: { scope: 'credential', reason: 'refused', none: null },
    openedAtMs: NOW_MS,
    reportedAtMs: NOW_MS,
    resolved: undefined,
    acknowledged: undefined,
    mute: undefined,
    ...more,
  }
}

const resolved = { as: 'recovered', message: 'it is back', atMs: NOW_MS + 5 } as const

/** The contract of every store of alerts, whatever engine is under it. `open` gives an empty one. */
export function describeAlertStore(engine: string, open: () => Promise<AlertStore>): void {
  describe(`alerts in ${engine}`, () => {
    test('come back as they were stored last, and those that are open or muted are live', async () => {
      const store = await open()
      const mute = { by: 'anna', atMs: NOW_MS, untilMs: NOW_MS + 1_000 }
      const acknowledged = { by: 'ben', atMs: NOW_MS, comment: 'I look' }
      await store.save([alertOf('alr_1'), alertOf('alr_2', { acknowledged }), alertOf('alr_3')])
      await store.save([alertOf('alr_1', { resolved }), alertOf('alr_3', { resolved, mute })])
      expect(await store.find('alr_1')).toEqual(alertOf('alr_1', { resolved }))
      expect(await store.find('alr_9')).toBe(undefined)
      const live = await store.loadLive(NOW_MS + 10)
      expect(live.map(({ id }) => id).toSorted()).toEqual(['alr_2', 'alr_3'])
      expect(live.find(({ id }) => id === 'alr_2')).toEqual(alertOf('alr_2', { acknowledged }))
      expect((await store.loadLive(NOW_MS + 1_001)).map(({ id }) => id)).toEqual(['alr_2'])
    })

    test('stay resolved, whatever is stored of them later', async () => {
      const store = await open()
      const acknowledged = { by: 'ben', atMs: NOW_MS, comment: undefined }
      await store.save([alertOf('alr_1')])
      const before = await store.find('alr_1')
      await store.save([alertOf('alr_1', { resolved })])
      if (before !== undefined) await store.save([{ ...before, acknowledged }])
      expect(await store.change('alr_1', { acknowledged })).toBe(undefined)
      expect(await store.find('alr_1')).toEqual(alertOf('alr_1', { resolved }))
      expect(await store.loadLive(NOW_MS)).toEqual([])
    })

    test('are acknowledged and muted as they are stored, not as they were read', async () => {
      const store = await open()
      const acknowledged = { by: 'ben', atMs: NOW_MS, comment: undefined }
      const mute = { by: 'anna', atMs: NOW_MS, untilMs: NOW_MS + 1_000 }
      await store.save([alertOf('alr_1', { level: 2 })])
      await Promise.all([store.change('alr_1', { acknowledged }), store.change('alr_1', { mute })])
      expect(await store.find('alr_1')).toEqual(alertOf('alr_1', { level: 2, acknowledged, mute }))
      await store.change('alr_1', { mute: undefined })
      expect(await store.find('alr_1')).toEqual(alertOf('alr_1', { level: 2, acknowledged }))
      expect(await store.change('alr_9', { mute })).toBe(undefined)
    })

    test('of one moment lose and repeat nothing over pages', async () => {
      const store = await open()
      const ids = ['alr_1', 'alr_2', 'alr_3', 'alr_4', 'alr_5']
      await store.save(ids.map((id) => alertOf(id)))
      const seen: string[] = []
      let after: { openedAtMs: number; id: string } | undefined
      for (let hasMore = true; hasMore; ) {
        const page = await store.page({ limit: 2, after })
        seen.push(...page.alerts.map(({ id }) => id))
        after = page.alerts.at(-1)
        hasMore = page.hasMore
      }
      expect(seen).toEqual(ids.toReversed())
    })

    test('are found by state, kind, severity and channel', async () => {
      const store = await open()
      await store.save([
        alertOf('alr_1', { resolved }),
        alertOf('alr_2', { kind: 'budget', severity: 'warning', subject: { budget: 'b' } }),
        alertOf('alr_3', { subject: { channel: 'b' } }),
      ])
      const idsOf = async (query: Parameters<AlertStore['page']>[0]) =>
        (await store.page(query)).alerts.map(({ id }) => id)
      expect(await idsOf({ limit: 9, state: 'resolved' })).toEqual(['alr_1'])
      expect(await idsOf({ limit: 9, state: 'open' })).toEqual(['alr_3', 'alr_2'])
      expect(await idsOf({ limit: 9, kind: 'budget' })).toEqual(['alr_2'])
      expect(await idsOf({ limit: 9, severity: 'critical' })).toEqual(['alr_3', 'alr_1'])
      expect(await idsOf({ limit: 9, channel: 'b' })).toEqual(['alr_3'])
    })

    test('that are over go with time and beyond a number, and open ones stay', async () => {
      const store = await open()
      const at = (atMs: number) => ({ resolved: { ...resolved, atMs } })
      await store.save([
        alertOf('alr_0'),
        alertOf('alr_1', at(1)),
        alertOf('alr_2', at(2)),
        alertOf('alr_3', at(3)),
      ])
      await store.prune({ resolvedBeforeMs: 2, maxResolved: 9 })
      expect((await store.page({ limit: 9 })).alerts.map(({ id }) => id)).toEqual(['alr_3', 'alr_2', 'alr_0'])
      await store.prune({ resolvedBeforeMs: 0, maxResolved: 1 })
      expect((await store.page({ limit: 9 })).alerts.map(({ id }) => id)).toEqual(['alr_3', 'alr_0'])
    })
  })
}
