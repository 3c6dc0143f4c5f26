import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSeededRandom } from '../../../src/kit/random/seeded-random.ts'
import { ROWS_PER_COMMIT } from './crash-batch.ts'
import { CrashImage, type FileStep } from './crash-image.ts'
import type { DiskStep } from './read-trace.ts'

type Write = Extract<FileStep, { type: 'write' }>

const SECTOR = 512

/** Follows the steps, and looks at the disk after each. */
export class PowerCuts {
  readonly #random
  /** The bytes that fsyncs brought to the disk, and all that was written. */
  readonly #synced: CrashImage
  readonly #written: CrashImage
  readonly #folder: string
  readonly #folderName: string
  /** Since the last fsync of each file. */
  #unsynced: FileStep[] = []
  #committedRows = 0
  readonly failures: string[] = []
  writes = 0
  syncs = 0
  images = 0
  lost = 0
  damaged = 0

  constructor(folder: string, { folderName, seed }: { readonly folderName: string; readonly seed: number }) {
    this.#folderName = folderName
    this.#random = createSeededRandom(seed)
    const open = (name: string): CrashImage => {
      mkdirSync(join(folder, name))
      return new CrashImage(join(folder, name))
    }
    this.#synced = open('synced')
    this.#written = open('written')
    this.#folder = open('started').folder
  }

  take(step: DiskStep): void {
    switch (step.type) {
      case 'committed':
        this.#committedRows = step.rows
        this.#look(this.#synced, 'without what no fsync wrote')
        return
      case 'sync':
        this.#sync(step.file)
        return
      case 'write':
        this.writes += 1
        this.#unsynced.push(step)
        this.#written.apply(step)
        this.#look(this.#written, 'with every write')
        this.#lookTorn()
        return
      case 'truncate':
      case 'unlink':
        this.#unsynced.push(step)
        this.#written.apply(step)
        this.#look(this.#written, 'with every write')
    }
  }

  #sync(file: string): void {
    this.syncs += 1
    // An unlinked file is gone once its folder is on the disk.
    const isSynced = (step: FileStep): boolean =>
      step.type === 'unlink' ? file === this.#folderName : step.file === file
    for (const step of this.#unsynced) if (isSynced(step)) this.#synced.apply(step)
    this.#unsynced = this.#unsynced.filter((step) => !isSynced(step))
    this.#look(this.#synced, 'without what no fsync wrote')
  }

  /** Any of the writes since the last fsync may be on the disk, and one of them in part. */
  #lookTorn(): void {
    const writes = this.#unsynced.filter((step): step is Write => step.type === 'write')
    if (writes.length < this.#unsynced.length) return
    const some = writes.filter(() => this.#random.fraction() < 0.5)
    const torn = some.map((step, index) =>
      index === some.length - 1 ? tear(step, this.#random.fraction()) : step,
    )
    this.#synced.with(torn, () => this.#look(this.#synced, 'with some of the writes'))
  }

  /** What a start would change in an image is changed in a copy. */
  #copy(image: string): string {
    rmSync(this.#folder, { recursive: true })
    mkdirSync(this.#folder)
    for (const name of readdirSync(image)) copyFileSync(join(image, name), join(this.#folder, name))
    return join(this.#folder, 'ledger.db')
  }

  #look(image: CrashImage, which: string): void {
    this.images += 1
    const found = readLedger(this.#copy(image.folder))
    const name = `image ${this.images}, ${which}, ${this.#committedRows} rows committed`
    if (found.rows < this.#committedRows) {
      this.lost += 1
      this.failures.push(
        `${name}: ${found.rows} rows are there${found.problem === undefined ? '' : `, ${found.problem}`}`,
      )
    } else if (found.problem !== undefined) {
      this.damaged += 1
      this.failures.push(`${name}: ${found.problem}`)
    }
  }
}

function tear(step: Write, fraction: number): Write {
  const sectors = Math.floor((step.bytes.length / SECTOR) * fraction)
  return { ...step, bytes: step.bytes.subarray(0, sectors * SECTOR) }
}

interface Found {
  readonly rows: number
  readonly problem: string | undefined
}

/** As a start does it. */
function readLedger(file: string): Found {
  try {
    const database = new DatabaseSync(file)
    try {
      const has =
        database.prepare("select 1 from sqlite_master where name in ('ledger', 'windows')").all().length === 2
      if (!has) return { rows: 0, problem: undefined }
      const [{ rows = 0, cost = 0 } = {}] = database
        .prepare('select count(*) as rows, coalesce(sum(cost), 0) as cost from ledger')
        .all()
      const [{ spent = 0 } = {}] = database
        .prepare('select coalesce(sum(spent), 0) as spent from windows')
        .all()
      const isTorn = Number(rows) % ROWS_PER_COMMIT !== 0 || spent !== cost
      return {
        rows: Number(rows),
        problem: isTorn ? `${rows} rows cost ${cost}, windows have ${spent}` : undefined,
      }
    } finally {
      database.close()
    }
  } catch (error) {
    return { rows: 0, problem: String(error) }
  }
}
