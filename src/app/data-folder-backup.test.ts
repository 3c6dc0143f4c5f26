import { spawnSync } from 'node:child_process'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { canMountDisks, openSmallDisk } from '../../test/support/small-disk.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { systemRandom } from '../kit/random/random.ts'
import { systemClock } from '../kit/time/clock.ts'
import { readTar, tarEnd, writeTarHeader, writeTarPadding } from '../storage/backup/tar.ts'
import { backUpFolder, backUpServer, restoreBackup, verifyBackup } from './data-folder-backup.ts'
import { openDataFolder } from './open-data-folder.ts'

/** A user other than root, as a service has. */
const SERVICE = 65_534
const surroundings = { clock: systemClock, random: systemRandom }

async function makeFolder(): Promise<string> {
  const folder = makeTemporaryFolder()
  const keys = await openDataFolder(folder, surroundings).openKeys(undefined)
  await keys.operations.create({ name: 'first' })
  await keys.close()
  return folder
}

async function backUp(dataFolder: string, withSecrets = true): Promise<Buffer> {
  const bytes = await backUpFolder({ dataFolder, version: '1', clock: systemClock }, withSecrets)
  return await joined(bytes)
}

function restore(dataFolder: string, bytes: Buffer, mayReplace = false) {
  return restoreBackup({ dataFolder, bytes: Readable.from([bytes]), mayReplace, nowMs: systemClock.nowMs() })
}

async function namesOf(folder: string): Promise<readonly string[]> {
  const keys = await openDataFolder(folder, surroundings).openKeys(undefined)
  const { data } = await keys.operations.list({})
  await keys.close()
  return data.map(({ name }) => name)
}

async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

describe('restoring a backup', () => {
  test('brings back the keys of the folder that was backed up', async () => {
    const target = join(makeTemporaryFolder(), 'data')
    const done = await restore(target, await backUp(await makeFolder()))
    expect(done).toMatchObject({ restored: ['headgate.db', 'pepper'], movedTo: undefined, hasPepper: true })
    expect(await namesOf(target)).toEqual(['first'])
  })

  test.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, -2_000), 'cut off'],
    ['was changed', (bytes: Buffer) => flipped(bytes, 5_000), 'headgate.db in it is damaged'],
    ['is something else', () => Buffer.from('text '.repeat(500)), 'it is no tar archive'],
    ['holds a file of another name', () => tarOf('server.json', '{}'), 'which no backup has'],
    ['would be written elsewhere', () => tarOf('../headgate.db', 'x'), 'which no backup has'],
  ])('refuses an archive that %s, and leaves the folder unchanged', async (_name, spoil, reason) => {
    const spoilt = spoil(await backUp(await makeFolder()))
    const target = makeTemporaryFolder()
    await expect(restore(target, spoilt)).rejects.toThrow(reason)
    expect(readdirSync(target)).toEqual([])
  })

  test('refuses tables that are newer than this Headgate version', async () => {
    const source = await makeFolder()
    const database = new DatabaseSync(join(source, 'headgate.db'))
    database.exec("insert into migrations values (9999, 'later')")
    database.close()
    await expect(restore(makeTemporaryFolder(), await backUp(source))).rejects.toThrow(
      'was written by a newer Headgate (version 9999 of its tables',
    )
  })

  test('without secrets keeps the secrets of the folder', async () => {
    const source = await makeFolder()
    const backup = await backUp(source, false)
    const keys = await openDataFolder(source, surroundings).openKeys(undefined)
    await keys.operations.create({ name: 'later' })
    await keys.close()
    const done = await restore(source, backup, true)
    expect(done).toMatchObject({ restored: ['headgate.db'], hasPepper: true })
    expect(readdirSync(done.movedTo ?? '')).toEqual(['headgate.db'])
    expect(await namesOf(source)).toEqual(['first'])
  })

  test.each([true, false])('brings back the prices, with secrets: %s', async (withSecrets) => {
    const source = await makeFolder()
    writeFileSync(join(source, 'prices.json'), 'of the backup')
    const backup = await backUp(source, withSecrets)
    writeFileSync(join(source, 'prices.json'), 'of later')
    const { movedTo = '' } = await restore(source, backup, true)
    const prices = [source, movedTo].map((folder) => readFileSync(join(folder, 'prices.json'), 'utf8'))
    expect(prices).toEqual(['of the backup', 'of later'])
  })

  test.runIf(process.getuid?.() === 0)(
    'gives files that root restores to the owner of the folder',
    async () => {
      const target = await makeFolder()
      const backup = await backUp(target)
      chownSync(target, SERVICE, SERVICE)
      const { movedTo = '' } = await restore(target, backup, true)
      const owners = ['headgate.db', 'pepper'].map((name) => statSync(join(target, name)))
      const owned = { uid: SERVICE, gid: SERVICE }
      expect([...owners, statSync(movedTo)]).toMatchObject([owned, owned, owned])
    },
  )

  test('does not replace an existing secret unless requested', async () => {
    const target = makeTemporaryFolder()
    writeFileSync(join(target, 'pepper'), 'another')
    await expect(restore(target, await backUp(await makeFolder()))).rejects.toThrow('already holds pepper')
    expect(readdirSync(target)).toEqual(['pepper'])
  })
})

test.runIf(canMountDisks)(
  'a restore that fails midway leaves all files of the folder where they were',
  async () => {
    const folder = await makeFolder()
    const backup = await backUp(folder)
    const pepper = join(folder, 'pepper')
    const given = join(makeTemporaryFolder(), 'pepper')
    copyFileSync(pepper, given)
    const before = readdirSync(folder).sort()
    // A container may have a secret as a mounted file, which cannot be renamed.
    spawnSync('mount', ['--bind', given, pepper])
    try {
      await expect(restore(folder, backup, true)).rejects.toThrow('EBUSY')
      expect(readdirSync(folder).sort()).toEqual(before)
    } finally {
      spawnSync('umount', [pepper])
    }
    expect(await namesOf(folder)).toEqual(['first'])
  },
)

describe.runIf(canMountDisks)('a backup of a running server on a disk with little room', () => {
  const MEGABYTE = 1024 ** 2

  /** Backs up a folder with a request log of 2 MB, on a disk of 8 MB, of which 0.4 MB are for the ledger. */
  async function backUpWith(freeBytes: number): Promise<readonly string[]> {
    using disk = openSmallDisk(8)
    const dataFolder = join(disk.folder, 'data')
    await restore(dataFolder, await backUp(await makeFolder()))
    writeFileSync(join(dataFolder, 'requests.db'), Buffer.alloc(2 * MEGABYTE))
    const keys = await openDataFolder(dataFolder, surroundings).openKeys(undefined)
    try {
      disk.fillUntil(freeBytes)
      const copyFrom = (name: string) => async (path: string) => copyFileSync(join(dataFolder, name), path)
      const open = {
        copyKeys: keys.copyTo,
        copyLedger: copyFrom('pepper'),
        copyRequests: copyFrom('requests.db'),
      }
      const bytes = await backUpServer({ dataFolder, version: '1', clock: systemClock }, open)
      const { omitted } = await verifyBackup(bytes)
      return omitted.map(({ reason }) => reason)
    } finally {
      await keys.close()
      expect(readdirSync(dataFolder).filter((name) => name.startsWith('backup-'))).toEqual([])
    }
  }

  test('has all databases if there is room', async () => {
    expect(await backUpWith(4 * MEGABYTE)).toEqual([])
  })

  test('leaves the request log out first', async () => {
    const [reason] = await backUpWith(2.5 * MEGABYTE)
    expect(reason).toContain(
      'too little room for the copies of a backup: requests.db, ledger.db, headgate.db need 3 MB',
    )
  })

  test('is refused before it fills the room that the ledger needs', async () => {
    await expect(backUpWith(0.7 * MEGABYTE)).rejects.toThrow(
      'ledger.db, headgate.db need 1 MB, and at most 0 MB may be filled. Free some room',
    )
  })
})

test.runIf(existsSync('/proc/self'))(
  'a backup of a folder that cannot be written to says why, and what to do',
  async () => {
    const input = { dataFolder: '/proc', version: '1', clock: systemClock }
    const copyKeys = async () => undefined
    await expect(
      backUpServer(input, { copyKeys, copyLedger: copyKeys, copyRequests: undefined }),
    ).rejects.toThrow(
      /inside the data folder \/proc, which cannot be written to: ENOENT.*\. Make it writable for this user, or copy/,
    )
  },
)

test('what a killed backup and a killed restore left is deleted at the next opening, and no other folder', async () => {
  const folder = await makeFolder()
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const folders = [`backup-${ended}-Ab3dE9`, `restore-${ended}-Ab3dE9`, `backup-${process.ppid}-Ab3dE9`]
  for (const name of folders) mkdirSync(join(folder, name))
  await namesOf(folder)
  expect(readdirSync(folder).filter((name) => /^(backup|restore)-/.test(name))).toEqual(folders.slice(2))
})

test('an archive is read from chunks of any size and supports files over 8 GB', async () => {
  const whole = tarOf('a', 'one'.repeat(300))
  const pieces = [...whole].map((byte) => Buffer.from([byte]))
  const read: string[] = []
  for await (const { name, bytes } of readTar(Readable.from(pieces))) {
    read.push(name, (await joined(bytes)).toString())
  }
  expect(read).toEqual(['a', 'one'.repeat(300)])
  const size = 9 * 1024 ** 3
  const huge = readTar(Readable.from([writeTarHeader('b', size, 0)]))
  expect((await huge.next()).value).toMatchObject({ name: 'b', size })
})

test('an archive is read to its end, where its maker deletes the copies', async () => {
  let isFreed = false
  async function* make() {
    try {
      yield tarOf('a', 'one')
      yield tarEnd
    } finally {
      isFreed = true
    }
  }
  for await (const { bytes } of readTar(make())) await joined(bytes)
  expect(isFreed).toBe(true)
})

function tarOf(name: string, text: string): Buffer {
  const size = Buffer.byteLength(text)
  return Buffer.concat([writeTarHeader(name, size, 0), Buffer.from(text), writeTarPadding(size), tarEnd])
}
