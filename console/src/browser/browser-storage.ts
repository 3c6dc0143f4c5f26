/** Storage in this browser. If the browser forbids storage, every visit starts fresh. No secret is ever stored here. */
export interface BrowserStorage {
  read(name: string): string | undefined
  /** Returns whether the value is stored. */
  write(name: string, value: string): boolean
  remove(name: string): void
  /** Removes everything that the console has stored here. */
  clear(): void
}

function createBrowserStorage(open: () => Storage): BrowserStorage {
  const attempt = <Result>(use: (storage: Storage) => Result): Result | undefined => {
    try {
      return use(open())
    } catch {
      // Storage is disabled or full. The value is not remembered.
      return undefined
    }
  }
  return {
    read: (name) => attempt((storage) => storage.getItem(`headgate.${name}`)) ?? undefined,
    write: (name, value) =>
      attempt((storage) => {
        storage.setItem(`headgate.${name}`, value)
        return true
      }) ?? false,
    remove: (name) => void attempt((storage) => storage.removeItem(`headgate.${name}`)),
    clear: () =>
      void attempt((storage) => {
        for (const name of Object.keys(storage)) if (name.startsWith('headgate.')) storage.removeItem(name)
      }),
  }
}

/** Storage that lasts across visits, for theme, language and collapsed sections. */
export const lastingStorage = createBrowserStorage(() => window.localStorage)

/** Storage until the tab is closed, for values typed into forms. */
export const tabStorage = createBrowserStorage(() => window.sessionStorage)
