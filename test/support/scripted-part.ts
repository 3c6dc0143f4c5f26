// A process of several that does what a file says, for tests of what starts it: `node scripted-part.ts FOLDER PART`.
// The file is called as the part. `serves`: until it is ended; `dies`: as soon as it serves; `refuses`: to start, once
// the process before it has handed over what it has; `leaves`: before that.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FromPart, ToPart } from '../../src/app/workers/part-messages.ts'
import { until } from './until.ts'

const [folder = '', part = ''] = process.argv.slice(2)
const pidFile = join(folder, `${part}.pid`)
const send = (message: FromPart) =>
  new Promise((resolve) => process.send?.(message, undefined, undefined, resolve))

process.on('message', (message: ToPart) => {
  if (message.type === 'end' || message.type === 'retire') process.exit()
  if (message.type === 'begin') void begin()
})
process.on('disconnect', () => process.exit())
process.on('SIGUSR2', () => void send({ type: 'taken-over' }).then(() => process.exit()))

async function begin(): Promise<void> {
  const behaviour = readFileSync(join(folder, part), 'utf8')
  if (behaviour === 'refuses' || behaviour === 'leaves') {
    if (behaviour === 'refuses') await takeOver()
    await send({ type: 'refused', reason: 'the disk is full' })
    process.exit(1)
  }
  writeFileSync(pidFile, String(process.pid))
  await send({ type: 'ready' })
  if (behaviour === 'dies') process.exit(3)
}

async function takeOver(): Promise<void> {
  const before = Number(readFileSync(pidFile, 'utf8'))
  if (!existsSync(`/proc/${before}`)) return
  process.kill(before, 'SIGUSR2')
  await until('the process before this one has ended', () => !existsSync(`/proc/${before}`))
}
