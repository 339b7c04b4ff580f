/**
 * SVG as data: elements with attributes and children, and one function that writes them down.
 *
 *     write(picture(20, 10, [rect({ x: 0, y: 0, width: 20, height: 10, fill: '#fff' })]))
 *
 * Numbers are written with at most two decimals, so the same picture is the same text on every machine. Text is escaped;
 * characters that XML does not have become U+FFFD.
 *
 * Laws
 * 1. What `write` gives is well-formed XML, whatever strings the picture contains.
 * 2. It is a function of the data: equal pictures are equal texts.
 */

// ---------------------------------------------------------------- model

export type Attributes = Readonly<Record<string, string | number>>

export interface SvgElement {
  readonly name: string
  readonly attributes: Attributes
  readonly children: ReadonlyArray<SvgElement | string>
}

// ---------------------------------------------------------------- constructors

export const element = (
  name: string,
  attributes: Attributes,
  children: ReadonlyArray<SvgElement | string> = [],
): SvgElement => ({ name, attributes, children })

export const group = (attributes: Attributes, children: ReadonlyArray<SvgElement>): SvgElement =>
  element('g', attributes, children)

export const rect = (attributes: Attributes, tip?: string): SvgElement =>
  element('rect', attributes, tip === undefined ? [] : [element('title', {}, [tip])])

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes): SvgElement =>
  element('line', { x1, y1, x2, y2, ...attributes })

export const words = (x: number, y: number, text: string, attributes: Attributes = {}): SvgElement =>
  element('text', { x, y, ...attributes }, [text])

/** Fonts that are there on every desktop, narrow digits first. */
export const sans: string = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
export const mono: string = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"

/** A whole picture on white, in pixels. */
export const picture = (width: number, height: number, children: ReadonlyArray<SvgElement>): SvgElement =>
  element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${number(width)} ${number(height)}`,
      'font-family': sans,
      'font-size': 12,
      fill: '#1f2430',
    },
    [rect({ width, height, fill: '#ffffff' }), ...children],
  )

// ---------------------------------------------------------------- destructors

const number = (n: number): string => {
  const rounded = Math.round(n * 100) / 100
  return Object.is(rounded, -0) || !Number.isFinite(rounded) ? '0' : String(rounded)
}

const isXml = (code: number): boolean =>
  code === 0x9 ||
  code === 0xa ||
  code === 0xd ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  code >= 0x10000

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

export const escape = (text: string): string =>
  [...text].map((c) => (isXml(c.codePointAt(0)!) ? (escapes[c] ?? c) : '\ufffd')).join('')

const opening = ({ name, attributes }: SvgElement): string =>
  `${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? number(value) : escape(value)}"`)
    .join('')}`

const lines = (node: SvgElement, indent: string): ReadonlyArray<string> => {
  const elements = node.children.filter((child) => typeof child !== 'string')
  const open = `${indent}<${opening(node)}`
  if (node.children.length === 0) return [`${open}/>`]
  // Text, and what stands beside text, must not gain blanks.
  if (
    node.name === 'text' ||
    elements.length < node.children.length ||
    elements.every((child) => child.name === 'title')
  )
    return [
      `${open}>${node.children.map((child) => (typeof child === 'string' ? escape(child) : lines(child, '').join(''))).join('')}</${node.name}>`,
    ]
  return [`${open}>`, ...elements.flatMap((child) => lines(child, `${indent} `)), `${indent}</${node.name}>`]
}

/** The text of a file. */
export const write = (svg: SvgElement): string => `${lines(svg, '').join('\n')}\n`
