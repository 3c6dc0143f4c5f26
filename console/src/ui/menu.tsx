import * as RadixMenu from '@radix-ui/react-dropdown-menu'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  readonly label: string
  readonly icon?: IconName
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  /** Whether the item is the current choice, in a menu of choices. */
  readonly isChosen?: boolean
  readonly run: () => void
}

/** A group of related items, with a heading if needed. */
export type MenuSection =
  | readonly MenuItem[]
  | { readonly heading: string; readonly items: readonly MenuItem[] }

interface MenuProps {
  readonly trigger: ReactNode
  readonly heading?: string
  /** Items in sections, with a line between them. */
  readonly sections: readonly MenuSection[]
}

/**
 * A menu that leaves the page scrollable, since the library's scroll lock needs styles that the page's policy
 * refuses.
 */
export function Menu({ trigger, heading, sections }: MenuProps) {
  return (
    <RadixMenu.Root modal={false}>
      <RadixMenu.Trigger asChild>{trigger}</RadixMenu.Trigger>
      <RadixMenu.Portal>
        <RadixMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 animate-rise rounded-lg border border-line bg-surface p-1 shadow-float"
        >
          {heading !== undefined && (
            <RadixMenu.Label className="truncate px-2.5 py-1.5 text-xs text-muted">{heading}</RadixMenu.Label>
          )}
          {sections
            .map((section) => ('items' in section ? section : { heading: undefined, items: section }))
            .filter(({ items }) => items.length > 0)
            .map(({ heading: title, items }, index) => (
              <RadixMenu.Group key={items.map(({ label }) => label).join()}>
                {index > 0 && <RadixMenu.Separator className="my-1 h-px bg-line" />}
                {title !== undefined && (
                  <RadixMenu.Label className="px-2.5 py-1.5 text-xs text-muted">{title}</RadixMenu.Label>
                )}
                {items.map((item) => (
                  <Item key={item.label} item={item} />
                ))}
              </RadixMenu.Group>
            ))}
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  )
}

function Item({ item }: { readonly item: MenuItem }) {
  const { label, icon, isDangerous = false, isDisabled = false, isChosen, run } = item
  return (
    <RadixMenu.Item
      disabled={isDisabled}
      onSelect={run}
      className={classNames(
        'flex cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 outline-none select-none',
        'data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:opacity-50',
        isDangerous && 'text-bad',
      )}
    >
      {icon !== undefined && <Icon name={icon} className="size-4" />}
      <span className="flex-1">{label}</span>
      {isChosen === true && <Icon name="check" className="size-4" />}
    </RadixMenu.Item>
  )
}
