import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface FencedBlock {
  /** The path from the root of the repository. */
  readonly file: string
  /** The text behind the fence, such as `sh`, or `ts src/providers/vendors/groq.ts`. */
  readonly language: string
  readonly text: string
  /** The file and the first line of the block: what lists name it by. */
  readonly name: string
}

const root = resolve(import.meta.dirname, '../..')

/** Every fenced block of the pages that a reader pastes from. */
export function readFencedBlocks(): readonly FencedBlock[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`)
    .toSorted()
  return ['README.md', 'CONTRIBUTING.md', ...pages].flatMap(blocksOf)
}

function blocksOf(file: string): readonly FencedBlock[] {
  const page = readFileSync(join(root, file), 'utf8')
  return [...page.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', inner = '']) => {
      const text = inner.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      return { file, language, text, name: `${file}: ${text.split('\n')[0]?.trim() ?? ''}` }
    },
  )
}

/** The commands of a block, each with the lines that a backslash joins to it. */
export function commandsOf(text: string): readonly string[] {
  return text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
