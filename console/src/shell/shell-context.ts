import { createContext, useContext } from 'react'
import type { Language } from '../language/language.ts'

/** The services of the frame around every page. */
export interface ShellActions {
  readonly overlay: 'palette' | 'shortcuts' | undefined
  readonly openPalette: () => void
  readonly openShortcuts: () => void
  readonly closeOverlay: () => void
  readonly changeLanguage: (language: Language) => void
}

const nothing = () => undefined

export const ShellContext = createContext<ShellActions>({
  overlay: undefined,
  openPalette: nothing,
  openShortcuts: nothing,
  closeOverlay: nothing,
  changeLanguage: nothing,
})

export function useShell(): ShellActions {
  return useContext(ShellContext)
}
