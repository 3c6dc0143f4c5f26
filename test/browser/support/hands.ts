import type { Locator, Page } from 'playwright-core'
import { englishMessages, type MessageKey } from '../../../console/src/language/en/messages.ts'
import { chineseMessages } from '../../../console/src/language/zh/messages.ts'
import { settle } from './open-console.ts'

export type SpokenLanguage = 'en' | 'zh-CN'

const WIDE = 1024

/**
 * A user of the console, who reads the texts that are shown and goes by them. Each click and each field is counted, so
 * that the steps of a task can be compared.
 */
export class Hands {
  readonly #page: Page
  readonly #language: SpokenLanguage
  #clicks = 0
  #fields = 0

  constructor(page: Page, language: SpokenLanguage) {
    this.#page = page
    this.#language = language
  }

  get steps(): { readonly clicks: number; readonly fields: number } {
    return { clicks: this.#clicks, fields: this.#fields }
  }

  beginTask(): void {
    this.#clicks = 0
    this.#fields = 0
  }

  /** A text of the console. Values in braces are filled in. */
  say(key: MessageKey, values: Readonly<Record<string, string>> = {}): string {
    const message = (this.#language === 'en' ? englishMessages : chineseMessages)[key]
    const text = typeof message === 'string' ? message : message.one
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
  }

  /** What is open on top: a dialog, else the page. */
  get #top(): Locator {
    return this.#page.locator('[role=dialog], [role=alertdialog], body').last()
  }

  button(key: MessageKey): Locator {
    return this.#top.getByRole('button', { name: this.say(key), exact: true })
  }

  async click(target: Locator): Promise<void> {
    this.#clicks += 1
    await target.click()
  }

  async press(key: MessageKey): Promise<void> {
    await this.click(this.button(key))
  }

  /** Opens a page by the navigation, which a narrow screen folds away. */
  async goTo(key: MessageKey): Promise<void> {
    if ((this.#page.viewportSize()?.width ?? 0) < WIDE) await this.press('nav.open')
    const navigation = this.#top.getByRole('navigation', { name: this.say('nav.label') })
    await this.click(navigation.getByRole('link', { name: this.say(key), exact: true }))
    await this.#page.getByRole('heading', { level: 1, name: this.say(key), exact: true }).waitFor()
    await settle(this.#page)
  }

  field(label: string): Locator {
    return this.#top.getByLabel(label, { exact: false }).first()
  }

  async fill(key: MessageKey, text: string): Promise<void> {
    this.#fields += 1
    await this.field(this.say(key)).fill(text)
  }

  /** Types words into a field that holds several. */
  async fillWords(key: MessageKey, ...words: readonly string[]): Promise<void> {
    this.#fields += 1
    for (const word of words) {
      await this.field(this.say(key)).pressSequentially(word)
      await this.field(this.say(key)).press('Enter')
    }
  }

  async choose(key: MessageKey, value: string): Promise<void> {
    this.#fields += 1
    await this.field(this.say(key)).selectOption(value)
  }

  async check(key: MessageKey): Promise<void> {
    this.#clicks += 1
    await this.field(this.say(key)).check()
  }

  /** Opens what is folded away under a text. */
  async unfold(key: MessageKey): Promise<void> {
    await this.click(this.#top.locator('summary', { hasText: this.say(key) }))
  }

  /** A secret that is shown once. */
  async readSecret(): Promise<string> {
    return (await this.#top.locator('[data-secret]').textContent()) ?? ''
  }

  /** Closes what is open on top. */
  async close(): Promise<void> {
    await this.press('common.close')
  }
}
