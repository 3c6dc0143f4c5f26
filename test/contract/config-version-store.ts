import { describe, expect, test } from 'vitest'
import type { ConfigVersion, ConfigVersionStore } from '../../src/admin/config/config-version-store.ts'
import { GatewayError } from '../../src/canonical/failure.ts'

function versionOf(number: number, more: Partial<ConfigVersion> = {}): ConfigVersion {
  return {
    number,
    createdAtMs: Date.UTC(2026, 10, 25) + number,
    author: 'anna',
    credential: 'session',
    address: '192.0.2.1',
    action: 'change',
    comment: undefined,
    restoredFrom: undefined,
    changes: [`change ${number}`],
    document: { channels: [{ name: 'a', api_key: { sealed: `x${number}` } }] },
    ...more,
  }
}

/** The contract of every store of configuration versions, whatever engine is under it. `open` gives an empty one. */
export function describeConfigVersionStore(engine: string, open: () => Promise<ConfigVersionStore>): void {
  describe(`versions of the configuration in ${engine}`, () => {
    test('come back as they were stored, the newest first', async () => {
      const store = await open()
      expect(await store.latest()).toBe(undefined)
      const versions = [
        versionOf(1),
        versionOf(2, { action: 'undo', comment: 'why "so"', restoredFrom: 0, changes: [], document: {} }),
        versionOf(3, { action: 'restore', restoredFrom: 1, credential: '' }),
      ]
      for (const version of versions) await store.append(version)
      expect(await store.latest()).toEqual(versions[2])
      expect(await store.find(2)).toEqual(versions[1])
      expect(await store.find(4)).toBe(undefined)
      const listed = await store.list({ before: 3, limit: 5 })
      expect(listed.map(({ number }) => number)).toEqual([2, 1])
      expect((await store.list({ before: undefined, limit: 1 })).map(({ number }) => number)).toEqual([3])
    })

    test('of two of one number the second is refused', async () => {
      const store = await open()
      await store.append(versionOf(1))
      const refused = await Promise.allSettled([
        store.append(versionOf(2, { author: 'anna' })),
        store.append(versionOf(2, { author: 'ben' })),
      ])
      const [reason] = refused.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      expect(refused.filter(({ status }) => status === 'rejected')).toHaveLength(1)
      expect(reason).toBeInstanceOf(GatewayError)
      expect(reason).toMatchObject({ failure: { code: 'config_version_conflict' } })
    })

    test('are written in another form together, and those that stay are left as they were', async () => {
      const store = await open()
      for (const number of [1, 2, 3]) await store.append(versionOf(number))
      const changed = await store.rewrite((document, number) =>
        number === 2 ? undefined : { ...document, number },
      )
      expect(changed).toBe(2)
      expect((await store.find(1))?.document).toMatchObject({ number: 1 })
      expect((await store.find(2))?.document).toEqual(versionOf(2).document)
    })
  })
}
