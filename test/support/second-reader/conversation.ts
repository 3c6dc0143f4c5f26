import type { Call, Meaning, Media, Result, Role, Thought } from './meaning.ts'

type Reported =
  | 'system'
  | 'roles'
  | 'texts'
  | 'images'
  | 'documents'
  | 'sounds'
  | 'videos'
  | 'thoughts'
  | 'calls'
  | 'results'
  | 'names'
  | 'others'

/** Gathers what is said in a conversation, in its order. */
export class Conversation {
  readonly #system: string[] = []
  readonly #turns: { readonly role: Role; text: string }[] = []
  readonly #images: Media[] = []
  readonly #documents: Media[] = []
  readonly #thoughts: Thought[] = []
  readonly #calls: { readonly id: string; readonly call: Call }[] = []
  readonly #results: Result[] = []
  readonly #names: string[] = []
  readonly #others = new Set<string>()
  #sounds = 0
  #videos = 0

  /** Blank texts say nothing. */
  addSystem(text: string): void {
    if (text.trim() !== '') this.#system.push(text)
  }

  addText(role: Role, text: string): void {
    if (text.trim() === '') return
    const turn = this.#turnOf(role)
    turn.text = turn.text === '' ? text : `${turn.text}\n${text}`
  }

  addImage(role: Role, image: Media): void {
    this.#turnOf(role)
    this.#images.push(image)
  }

  addDocument(role: Role, document: Media): void {
    this.#turnOf(role)
    this.#documents.push(document)
  }

  addSound(role: Role): void {
    this.#turnOf(role)
    this.#sounds += 1
  }

  addVideo(role: Role): void {
    this.#turnOf(role)
    this.#videos += 1
  }

  addThought(thought: Thought): void {
    this.#thoughts.push(thought)
  }

  addCall(id: string, call: Call): void {
    this.#turnOf('assistant')
    this.#calls.push({ id, call })
  }

  /** Results stand with the user; each answers the latest call of its id. */
  addResult(id: string, text: string, isError: boolean): void {
    this.#turnOf('user')
    this.#results.push({ call: this.#calls.findLastIndex((call) => call.id === id), text, isError })
  }

  addName(name: string): void {
    this.#names.push(name)
  }

  addOthers(paths: readonly string[]): void {
    for (const path of paths) this.#others.add(path)
  }

  emit(): Pick<Meaning, Reported> {
    return {
      system: this.#system.join('\n'),
      roles: this.#turns.map(({ role }) => role),
      texts: this.#turns.map(({ text }) => text).filter((text) => text !== ''),
      images: this.#images,
      documents: this.#documents,
      sounds: this.#sounds,
      videos: this.#videos,
      thoughts: this.#thoughts,
      calls: this.#calls.map(({ call }) => call),
      results: this.#results.toSorted((one, other) => one.call - other.call),
      names: this.#names,
      others: [...this.#others],
    }
  }

  #turnOf(role: Role): { readonly role: Role; text: string } {
    const last = this.#turns.at(-1)
    if (last?.role === role) return last
    const turn = { role, text: '' }
    this.#turns.push(turn)
    return turn
  }
}
