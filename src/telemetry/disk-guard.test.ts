import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { DiskGuard, type DiskState, describeDisk } from './disk-guard.ts'

const MB = 1024 ** 2

/** A disk of which a test says how much is free; undefined: it cannot be read. */
async function open(totalMb: number, freeMb: number | undefined, code = 'EIO') {
  const clock = createFakeClock()
  const changes: DiskState[] = []
  const warnings: string[] = []
  const disk = { freeMb }
  const guard = new DiskGuard({
    clock,
    onChange: (change) => changes.push(change),
    warn: (message) => warnings.push(message),
    read: async () => {
      if (disk.freeMb === undefined) throw Object.assign(new Error(`${code}: planted`), { code })
      return { freeBytes: disk.freeMb * MB, totalBytes: totalMb * MB }
    },
  })
  await guard.start()
  return {
    guard,
    changes,
    warnings,
    clock,
    async look(nextMb: number | undefined) {
      disk.freeMb = nextMb
      clock.advance(1_000)
      await new Promise((resolve) => setImmediate(resolve))
      return guard.level
    },
  }
}

describe('the disk level', () => {
  it('depends on free megabytes if the disk is large', async () => {
    const { look } = await open(250_000, 100_000)
    expect([await look(1_024), await look(1_023)]).toEqual(['ample', 'low'])
    expect([await look(128), await look(127)]).toEqual(['low', 'nearly-full'])
  })

  it('depends on the free share if the disk is small', async () => {
    const { look } = await open(100, 100)
    expect([await look(10), await look(9.9)]).toEqual(['ample', 'low'])
    expect([await look(5), await look(4.9)]).toEqual(['low', 'nearly-full'])
  })

  it('recovers only with a quarter more space', async () => {
    const { look } = await open(100, 100)
    expect([await look(4), await look(6.2), await look(6.3)]).toEqual(['nearly-full', 'nearly-full', 'low'])
    expect([await look(12.4), await look(12.6)]).toEqual(['low', 'ample'])
  })

  it('is known at once if the disk is nearly full at the start', async () => {
    const { guard, changes } = await open(100, 1)
    expect(guard.level).toBe('nearly-full')
    expect(changes.map(describeDisk)).toEqual([expect.stringContaining('nearly full: 1 of 100 MB are free')])
  })

  it('stays the same while the disk cannot be read', async () => {
    const { look, changes } = await open(100, 4)
    expect(await look(undefined)).toBe('nearly-full')
    expect(await look(50)).toBe('ample')
    expect(changes.map(({ level }) => level)).toEqual(['nearly-full', 'ample'])
  })
})

describe('unreadable free space', () => {
  it('is logged once until the space can be read again', async () => {
    const { look, warnings } = await open(100, undefined)
    await look(undefined)
    expect(warnings).toEqual(['the free space where the data folder is cannot be read: EIO: planted'])
    await look(50)
    await look(undefined)
    expect(warnings).toHaveLength(2)
  })

  it('is not logged if the file system does not report its free space', async () => {
    const { warnings } = await open(100, undefined, 'ENOSYS')
    expect(warnings).toEqual([])
  })
})

it('closing leaves no timer behind', async () => {
  const { guard, clock } = await open(100, 50)
  guard.close()
  expect(clock.pendingTimers).toBe(0)
})
