;; Sums of products of residues modulo p = 2^26 - 5: products below 2^52, 2^11 of them and c below 2^64, reduced then.
;;
;;   a   u32 [m][k]      b   u32 [tiles][k][4]      d   u64 [tiles][m][4], c when it begins: residues before and after
(module
  (memory (import "" "memory") 1)
  (func (export "residueSum")
    (param $m i32) (param $tiles i32) (param $k i32) (param $a i32) (param $b i32) (param $d i32)
    (local $t i32) (local $i i32) (local $from i32) (local $end i32) (local $last i32) (local $pa i32) (local $pb i32) (local $pd i32)
    (local $x v128) (local $v v128) (local $s0 v128) (local $s1 v128) (local $low v128) (local $prime v128)
    (local.set $low (i64x2.splat (i64.const 0x3ffffff)))
    (local.set $prime (i64x2.splat (i64.const 67108859)))
    (loop $tile
      (local.set $i (i32.const 0))
      (loop $row
        (local.set $pd (i32.add (local.get $d)
          (i32.shl (i32.add (i32.mul (local.get $t) (local.get $m)) (local.get $i)) (i32.const 5))))
        (local.set $s0 (v128.load (local.get $pd)))
        (local.set $s1 (v128.load offset=16 (local.get $pd)))
        (local.set $pa (i32.add (local.get $a) (i32.shl (i32.mul (local.get $i) (local.get $k)) (i32.const 2))))
        (local.set $last (i32.add (local.get $pa) (i32.shl (local.get $k) (i32.const 2))))
        (local.set $pb (i32.add (local.get $b) (i32.shl (i32.mul (local.get $t) (local.get $k)) (i32.const 4))))
        (loop $chunk
          (local.set $end (i32.add (local.get $pa) (i32.const 8192)))
          (if (i32.gt_u (local.get $end) (local.get $last)) (then (local.set $end (local.get $last))))
          (loop $products
            (local.set $x (v128.load32_splat (local.get $pa)))
            (local.set $v (v128.load (local.get $pb)))
            (local.set $s0 (i64x2.add (local.get $s0) (i64x2.extmul_low_i32x4_u (local.get $x) (local.get $v))))
            (local.set $s1 (i64x2.add (local.get $s1) (i64x2.extmul_high_i32x4_u (local.get $x) (local.get $v))))
            (local.set $pb (i32.add (local.get $pb) (i32.const 16)))
            (br_if $products (i32.lt_u (local.tee $pa (i32.add (local.get $pa) (i32.const 4))) (local.get $end))))
          ;; 2^26 is 5: three foldings leave less than 2 p
          (local.set $s0 (i64x2.add (v128.and (local.get $s0) (local.get $low)) (i64x2.mul (i64x2.shr_u (local.get $s0) (i32.const 26)) (i64x2.splat (i64.const 5)))))
          (local.set $s1 (i64x2.add (v128.and (local.get $s1) (local.get $low)) (i64x2.mul (i64x2.shr_u (local.get $s1) (i32.const 26)) (i64x2.splat (i64.const 5)))))
          (local.set $s0 (i64x2.add (v128.and (local.get $s0) (local.get $low)) (i64x2.mul (i64x2.shr_u (local.get $s0) (i32.const 26)) (i64x2.splat (i64.const 5)))))
          (local.set $s1 (i64x2.add (v128.and (local.get $s1) (local.get $low)) (i64x2.mul (i64x2.shr_u (local.get $s1) (i32.const 26)) (i64x2.splat (i64.const 5)))))
          (local.set $s0 (i64x2.add (v128.and (local.get $s0) (local.get $low)) (i64x2.mul (i64x2.shr_u (local.get $s0) (i32.const 26)) (i64x2.splat (i64.const 5)))))
          (local.set $s1 (i64x2.add (v128.and (local.get $s1) (local.get $low)) (i64x2.mul (i64x2.shr_u (local.get $s1) (i32.const 26)) (i64x2.splat (i64.const 5)))))
          (local.set $s0 (i64x2.sub (local.get $s0) (v128.and (i64x2.ge_s (local.get $s0) (local.get $prime)) (local.get $prime))))
          (local.set $s1 (i64x2.sub (local.get $s1) (v128.and (i64x2.ge_s (local.get $s1) (local.get $prime)) (local.get $prime))))
          (br_if $chunk (i32.lt_u (local.get $pa) (local.get $last))))
        (v128.store (local.get $pd) (local.get $s0))
        (v128.store offset=16 (local.get $pd) (local.get $s1))
        (br_if $row (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $m))))
      (br_if $tile (i32.lt_u (local.tee $t (i32.add (local.get $t) (i32.const 1))) (local.get $tiles))))))
