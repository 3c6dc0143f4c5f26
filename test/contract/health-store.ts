import { describe, expect, test } from 'vitest'
import type { HealthSnapshot, HealthStore } from '../../src/routing/health/health-store.ts'

const snapshot: HealthSnapshot = {
  version: 2,
  savedAtMs: 1_000,
  breakers: [
    {
      channel: 'a',
      baseUrl: 'https://a.example/v1',
      scope: 'model',
      credentialId: 'key-1',
      fingerprint: 'f',
      upstreamModel: 'm "quoted"',
      reason: 'rate-limited',
      needsProbe: false,
      isDegraded: true,
      trips: 3,
      untilAtMs: Date.UTC(2026, 10, 25),
    },
  ],
}

/** The contract of every store of health, whatever engine is under it. `open` gives an empty one. */
export function describeHealthStore(engine: string, open: () => Promise<HealthStore>): void {
  describe(`health in ${engine}`, () => {
    test('is that of the last snapshot alone', async () => {
      const store = await open()
      expect(await store.load()).toBe(undefined)
      await store.save({ ...snapshot, breakers: [] })
      await store.save(snapshot)
      expect(await store.load()).toEqual(snapshot)
    })
  })
}
