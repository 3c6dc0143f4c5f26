import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'
import { englishMessages } from '../console/src/language/en/messages.ts'
import type { Message } from '../console/src/language/message.ts'
import { chineseMessages } from '../console/src/language/zh/messages.ts'
import { auditActions } from '../src/canonical/audit.ts'
import { errorTable } from '../src/canonical/error-table.ts'
import { lossFeatures } from '../src/canonical/loss.ts'
import { namedRefusals, plainRefusals, refusedKinds } from '../src/canonical/refusal.ts'
import { stopReasons } from '../src/canonical/reply.ts'
import { inputFormats, namedKinds, plainFacts } from '../src/kit/schema/input-fact.ts'
import { readConsoleFiles, sourceRoot } from './support/source-files.ts'

const english: Readonly<Record<string, Message>> = englishMessages
const chinese: Readonly<Record<string, Message>> = chineseMessages
const keys = Object.keys(english)
const files = readConsoleFiles().filter(({ path }) => !path.includes('/language/'))

const formsOf = (message: Message | undefined): readonly string[] =>
  message === undefined ? [] : typeof message === 'string' ? [message] : [message.one, message.other]

const namesIn = (message: Message | undefined) =>
  [...new Set(formsOf(message).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].toSorted()

describe('the texts of the console', () => {
  it('exist in both languages, and none is empty', () => {
    expect(keys.length).toBeGreaterThan(100)
    expect(Object.keys(chinese).toSorted()).toEqual(keys.toSorted())
    for (const catalogue of [english, chinese]) {
      const empty = Object.entries(catalogue).filter(([, message]) =>
        formsOf(message).some((form) => form.trim() === ''),
      )
      expect(empty).toEqual([])
    }
  })

  it('name each action in the audit log', () => {
    expect(auditActions.length).toBeGreaterThan(40)
    expect(auditActions.filter((action) => !Object.hasOwn(english, `audit.action.${action}`))).toEqual([])
  })

  it('name each fact of a problem that the gateway reports', () => {
    const facts = [
      ...plainFacts,
      ...inputFormats.map((format) => `wrong_format.${format}`),
      ...namedKinds.map((kind) => `unknown_name.${kind}`),
    ]
    expect(facts.filter((fact) => !Object.hasOwn(english, `problem.${fact}`))).toEqual([])
  })

  it('name each feature that a translation can lose', () => {
    expect(lossFeatures.filter((feature) => !Object.hasOwn(english, `loss.feature.${feature}`))).toEqual([])
  })

  it('name each reason for which an answer ends', () => {
    expect(stopReasons.filter((reason) => !Object.hasOwn(english, `certification.stop.${reason}`))).toEqual(
      [],
    )
  })

  it('name each refusal of the admin API', () => {
    const facts = [...plainRefusals, ...namedRefusals, ...refusedKinds.map((kind) => `noun.${kind}`)]
    expect(facts.filter((fact) => !Object.hasOwn(english, `refusal.${fact}`))).toEqual([])
  })

  it('name each error', () => {
    const named = (code: string) =>
      ['error.code', 'error.request', 'sso.outcome'].some((start) =>
        Object.hasOwn(english, `${start}.${code}`),
      )
    const unnamed = Object.keys(errorTable).filter((code) => !named(code))
    expect(unnamed).toEqual([])
  })

  it('use the same values in both languages', () => {
    const different = keys.filter((key) => namesIn(english[key]).join() !== namesIn(chinese[key]).join())
    expect(different).toEqual([])
  })

  it('are Chinese where they should be', () => {
    const latin = keys.filter((key) => !formsOf(chinese[key]).every((form) => /\p{Script=Han}/u.test(form)))
    expect(latin).toEqual(sameInChinese)
  })

  it('have one Chinese word for one thing', () => {
    const found = keys.flatMap((key) =>
      formsOf(chinese[key]).filter((form) => otherChineseWords.some((word) => word.test(form))),
    )
    expect(found).toEqual([])
    const resets = keys.filter((key) => /^budgets?\.reset/.test(key)).flatMap((key) => formsOf(chinese[key]))
    expect(resets.filter((form) => form.includes('重新开始'))).toEqual([])
  })

  it('are all used', () => {
    const code = files.map((file) => file.code).join('\n')
    // A part of a key may be computed, as in t(`role.${role}`).
    const computed = [...code.matchAll(/`([\w.]*)\$\{[^}]*\}([\w.]*)`/g)].map(
      ([, start = '', end = '']) =>
        new RegExp(`^${start.replaceAll('.', '\\.')}[\\w.-]+${end.replaceAll('.', '\\.')}$`),
    )
    const patterns = computed.filter(({ source }) => /^\^\w+\\\./.test(source))
    const unused = keys.filter(
      (key) => !code.includes(`'${key}'`) && !patterns.some((pattern) => pattern.test(key)),
    )
    expect(unused).toEqual([])
  })

  it('are in the catalogue and not in the pages', () => {
    const found = files
      .filter(({ path }) => path.endsWith('.tsx'))
      .flatMap(({ path }) => findLiteralTexts(path))
    expect(found).toEqual([])
  })
})

/** Keys whose text is a name, which is the same everywhere. */
const sameInChinese: readonly string[] = ['palette.language']

/**
 * Words that Chinese has beside those of the console: 供应商 for a provider, 运维人员 for an operator, 试用 for the
 * playground, 费用 for a cost, and token for those of a model, as 令牌 is what a script signs in with.
 */
const otherChineseWords = [
  /(?<!身份)提供商/,
  /操作员/,
  /试验场/,
  /成本/,
  /令牌数(?!量)|[入出首]个?令牌|\} 个令牌/,
  /\p{Script=Han} ?Token/u,
]

/** Attributes that a user reads or hears. */
const readAttributes = new Set([
  'label',
  'title',
  'aria-label',
  'placeholder',
  'alt',
  'hint',
  'description',
  'submit',
  'confirm',
])
const WORD = /\p{L}{2,}/u
/** What may be shown as it is: names that are ours to no language, and examples of what is typed. */
const PLAIN = /^[\w.:/-]+$/

function findLiteralTexts(path: string): readonly string[] {
  const file = resolve(sourceRoot, path)
  const { program } = parseSync(file, readFileSync(file, 'utf8'), { lang: 'tsx' })
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(visit)
      return
    }
    if (typeof node !== 'object' || node === null || !('type' in node)) return
    if (node.type === 'JSXText' && 'value' in node && WORD.test(String(node.value)))
      found.push(`${path}: ${String(node.value).trim()}`)
    if (node.type === 'JSXAttribute') checkAttribute(node, (text) => found.push(`${path}: ${text}`))
    Object.values(node).forEach(visit)
  }
  visit(program)
  return found
}

function checkAttribute(node: object, report: (text: string) => void): void {
  const { name, value } = node as {
    name?: { name?: unknown }
    value?: { type?: unknown; value?: unknown } | null
  }
  if (!readAttributes.has(String(name?.name)) || value?.type !== 'Literal') return
  const text = String(value.value)
  if (WORD.test(text) && !PLAIN.test(text)) report(text)
}
