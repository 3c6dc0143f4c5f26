import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ClientJob } from './client.ts'
import { createAgent } from './create-agent.ts'
import { documentedSettings } from './documented-settings.ts'
import { readJsonLines } from './read-json-lines.ts'

/** pi, as the page on models and the README of its package describe it (version 0.73.1). */
export const pi = createAgent({
  name: 'pi',
  formats: ['chat', 'messages'],
  prepare(job) {
    const folder = join(job.home, '.pi', 'agent')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'models.json'), documentedSettings('pi', 'json', job))
    return {
      file: process.execPath,
      args: [
        join(job.packages, '@mariozechner/pi-coding-agent/dist/cli.js'),
        ...['-p', '--session-dir', sessionFolder(job)],
        ...['--provider', 'headgate', '--model', job.model],
        job.prompt,
      ],
      environment: { PI_OFFLINE: '1' },
    }
  },
  readUsage(_stdout, job) {
    const steps = readJsonLines(readSessions(job), messageSchema).map(({ message }) => message.usage)
    const sumOf = (read: (usage: Usage) => number) => steps.reduce((sum, each) => sum + read(each), 0)
    // In the chat format it takes the tokens written to a cache off those that were read.
    const isExact = job.format === 'messages'
    return {
      input: sumOf(({ input, cacheRead, cacheWrite }) => input + cacheRead + cacheWrite),
      output: sumOf(({ output }) => output),
      cacheRead: isExact ? sumOf(({ cacheRead }) => cacheRead) : undefined,
      cacheWrite: isExact ? sumOf(({ cacheWrite }) => cacheWrite) : undefined,
    }
  },
})

function sessionFolder({ home }: ClientJob): string {
  return join(home, 'sessions')
}

/** The journal of the run. (Written to stdout instead, it would come without an exit code that tells of failures.) */
function readSessions(job: ClientJob): string {
  const folder = sessionFolder(job)
  if (!existsSync(folder)) return ''
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /jsonl$/.test(name),
  )
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('')
}

const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})
type Usage = z.output<typeof usageSchema>
const messageSchema = z.object({ type: z.literal('message'), message: z.object({ usage: usageSchema }) })
