/** Counts by name, printed as one line. */
export class NamedCounts {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  print(title: string): void {
    const counts = [...this.#counts].sort(([, one], [, other]) => other - one)
    process.stdout.write(`${title}: ${JSON.stringify(Object.fromEntries(counts))}\n`)
  }
}
