/** The front page: what this is, a race as it is found, and the ways on. The race is judged when the page is built (`site/race.ts`). */
import type { SvgElement } from '../../../../src/render/svg.js'
import { writeAddress } from '../../address.js'
import { Picture } from '../../look/parts.js'
import './style.css'

const raceHref = writeAddress({ place: 'kernels', params: { kernel: 'matmul1', without: 'wait consumed' } })

const cards = [
  {
    href: raceHref,
    title: 'See a race',
    text: 'A Blackwell matmul: one warp fetches, another multiplies. Its wait is missing: watch a copy overwrite an operand that has not been read yet.',
  },
  {
    href: writeAddress({ place: 'check', params: {} }),
    title: 'Check your kernel',
    text: 'Drop the PTX of a CUDA kernel, or the .ttgir that Triton leaves in its cache. The verdict is that of the command line: every schedule, every race, replayable.',
  },
  {
    href: writeAddress({ place: 'layouts', params: {} }),
    title: 'See where an element lives',
    text: 'Register layouts, swizzles, TMA boxes, tensor memory: element to lane and register, byte and bank, and the same layout in the words of CuTe, Triton and Pallas.',
  },
  {
    href: writeAddress({ place: 'kernels', params: {} }),
    title: 'Watch a kernel run',
    text: 'See the pipeline as lanes of agents, units and barriers. Step forwards and backwards, and choose the next event.',
  },
  {
    href: writeAddress({ place: 'memory', params: {} }),
    title: 'Read the memory model',
    text: 'Every clause with its source and a litmus test that you can change.',
  },
  {
    href: 'guide/index.html',
    title: 'Guide',
    text: 'For CUDA, Triton, Python and your own back end; the command line, the library and its theorems.',
  },
] as const

declare const tcspecRace: SvgElement

export const Front = () => (
  <div class="stack">
    <div class="front-first">
      <div>
        <h1>An executable specification of asynchronous tensor-core kernels</h1>
        <p>
          TMA copies, mbarriers, swizzled shared memory, wgmma and tcgen05, tensor memory, clusters: an
          executable specification, equal to an H100 bit for bit. It judges kernels of CUDA, Triton, Gluon and
          Pallas in every schedule, and it runs here, in your browser.
        </p>
        <nav class="cards" aria-label="where to begin">
          {cards.map(({ href, title, text }) => (
            <a key={title} class="card" href={href}>
              <strong>{title}</strong>
              <p>{text}</p>
            </a>
          ))}
        </nav>
      </div>
      <figure class="front-race">
        <Picture svg={tcspecRace} />
        <figcaption>
          <code>matmul1</code> without <code>wait consumed</code>: one of its findings.{' '}
          <a href={raceHref}>Watch it happen</a>
        </figcaption>
      </figure>
    </div>
  </div>
)
