import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface MarkedProps {
  readonly children: ReactNode
  readonly icon: IconName
  /** The meaning of the mark, for those who cannot see it and those who point at it; undefined: there is none. */
  readonly text: string | undefined
}

/** The text of a cell with a mark behind it, which stays in sight where the text is cut off. */
export function Marked({ children, icon, text }: MarkedProps) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="truncate">{children}</span>
      {text !== undefined && (
        <span title={text} className="relative inline-flex text-accent">
          <Icon name={icon} className="size-4" />
          <span className="sr-only">{text}</span>
        </span>
      )}
    </span>
  )
}
